import { Webhook } from 'standardwebhooks';
import { RoleType } from '../../src/access/role-type';
import { NoResourceError } from '../../src/errors/domain-errors';
import { WebhookSecretsService } from '../../src/webhooks/secrets/webhook-secrets.service';
import { Child } from '../support/child';
import { type ReceivedRequest } from '../support/receiver';
import { everythingStored } from '../support/records';
import { aTimestamp, errorShape } from '../support/shapes';
import { QUICK_DELIVERY, useWebhook } from '../support/webhooks';
import { type Person, useWorld } from '../support/world';

const HOUR_MS = 3_600_000;

describe("a webhook's secret", () => {
  const tested = useWebhook(useWorld(QUICK_DELIVERY));

  const rotate = async (): Promise<{ secret: string; previousSecretExpires: string }> =>
    (await tested.owner.api.post(`${tested.webhook.path}/secret/rotate`)).body;

  async function oneRequest(): Promise<ReceivedRequest> {
    const count = tested.endpoint.requests.length;
    await tested.comment('Signed 😀');
    const requests = await tested.endpoint.received(count + 1);
    // The service has recorded the answer, and writes nothing more.
    await tested.webhook.delivered(count + 1);
    return requests[count] as ReceivedRequest;
  }

  const verify = (secret: string, { body, headers }: ReceivedRequest): unknown =>
    new Webhook(secret).verify(body, headers as Record<string, string>);

  /** Expires one of the previous secrets, counted from the newest. */
  async function expirePrevious(index: number): Promise<void> {
    const { world, webhook } = tested;
    const [row] = await world.dataSource.query<[{ json: string }]>(
      'SELECT previous_secrets AS json FROM webhook WHERE id = ?',
      [webhook.id],
    );
    const secrets = JSON.parse(row.json) as { expires: number }[];
    Object.assign(secrets[index] as object, { expires: Date.now() - 1 });
    await world.dataSource.query('UPDATE webhook SET previous_secrets = ? WHERE id = ?', [
      JSON.stringify(secrets),
      webhook.id,
    ]);
  }

  it('produces signatures that the Standard Webhooks library verifies', async () => {
    const secret = await tested.webhook.secret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(verify(secret, await oneRequest())).toMatchObject({ type: 3 });
  });

  it('verifies neither a changed delivery nor one of another webhook', async () => {
    const secret = await tested.webhook.secret();
    const request = await oneRequest();
    const { headers, body } = request;
    const other = await tested.addWebhook(tested.receiver.endpoint());
    expect(() => verify(secret, { ...request, body: body.replace('Signed', 'signed') })).toThrow();
    expect(() => verify(secret, { ...request, headers: { ...headers, 'webhook-id': 'msg_0' } })).toThrow();
    const later = String(Number(headers['webhook-timestamp']) + 1);
    expect(() =>
      verify(secret, { ...request, headers: { ...headers, 'webhook-timestamp': later } }),
    ).toThrow();
    const otherSecret = await other.secret();
    expect(() => verify(otherSecret, request)).toThrow();
  });

  it('produces a valid signature for every attempt', async () => {
    const { endpoint, webhook } = tested;
    endpoint.answerWith({ status: 500 }, {});
    const secret = await webhook.secret();
    await tested.comment();
    for (const request of await endpoint.received(2))
      expect(verify(secret, request)).toMatchObject({ type: 3 });
  });

  it('stays the same without rotation', async () => {
    expect(await tested.webhook.secret()).toBe(await tested.webhook.secret());
  });

  it('signs beside its replacement for a day after a rotation', async () => {
    const old = await tested.webhook.secret();
    const before = Date.now();
    const rotated = await rotate();
    expect(rotated).toEqual({ secret: expect.stringMatching(/^whsec_/), previousSecretExpires: aTimestamp });
    const overlap = Date.parse(rotated.previousSecretExpires) - before;
    expect(overlap).toBeGreaterThan(24 * HOUR_MS - 2000);
    expect(overlap).toBeLessThan(24 * HOUR_MS + 20_000);
    expect(rotated.secret).not.toBe(old);
    expect(await tested.webhook.secret()).toBe(rotated.secret);

    const request = await oneRequest();
    expect(verify(rotated.secret, request)).toMatchObject({ type: 3 });
    expect(verify(old, request)).toMatchObject({ type: 3 });
    expect(String(request.headers['webhook-signature']).split(' ')).toHaveLength(2);
  });

  it('stops signing a day after its rotation', async () => {
    const old = await tested.webhook.secret();
    const { secret } = await rotate();
    await expirePrevious(0);
    const request = await oneRequest();
    expect(verify(secret, request)).toMatchObject({ type: 3 });
    expect(() => verify(old, request)).toThrow();
    expect(String(request.headers['webhook-signature']).split(' ')).toHaveLength(1);
  });

  it('signs beside every other recent secret after several rotations', async () => {
    const first = await tested.webhook.secret();
    const second = await rotate();
    const third = await rotate();
    const request = await oneRequest();
    for (const secret of [first, second.secret, third.secret]) {
      expect(verify(secret, request)).toMatchObject({ type: 3 });
    }
    expect(String(request.headers['webhook-signature']).split(' ')).toHaveLength(3);
    expect(await tested.webhook.secret()).toBe(third.secret);
  });

  it('refuses rotation after the webhook has been deleted', async () => {
    const { world, webhook, owner, project } = tested;
    await owner.api.delete(webhook.path);
    const before = await everythingStored(world);
    // As a request does whose webhook is deleted after its rights have been checked.
    const rotation = world
      .service(WebhookSecretsService)
      .rotate(
        { id: webhook.id, projectId: project.id, isProjectAdministrator: true },
        { id: owner.id, roleType: RoleType.NormalUser, address: null },
      );
    await expect(rotation).rejects.toThrow(NoResourceError);
    expect(await everythingStored(world)).toEqual(before);
  });

  it('keeps its own expiry when it is rotated again', async () => {
    const first = await tested.webhook.secret();
    const second = await rotate();
    const third = await rotate();
    await expirePrevious(1);
    const request = await oneRequest();
    expect(() => verify(first, request)).toThrow();
    expect(verify(second.secret, request)).toMatchObject({ type: 3 });
    const fourth = await rotate();
    const next = await oneRequest();
    for (const { secret } of [second, third, fourth]) expect(verify(secret, next)).toMatchObject({ type: 3 });
    expect(String(next.headers['webhook-signature']).split(' ')).toHaveLength(3);
  });

  it('signs beside at most ten previous secrets', async () => {
    const secrets = [await tested.webhook.secret()];
    for (let number = 0; number < 11; number++) secrets.push((await rotate()).secret);
    const request = await oneRequest();
    const [oldest = '', ...others] = secrets;
    expect(() => verify(oldest, request)).toThrow();
    for (const secret of others) expect(verify(secret, request)).toMatchObject({ type: 3 });
    expect(String(request.headers['webhook-signature']).split(' ')).toHaveLength(11);
  });

  it('signs beside every secret of simultaneous rotations', async () => {
    const first = await tested.webhook.secret();
    const rotations = await Promise.all([rotate(), rotate(), rotate(), rotate()]);
    const request = await oneRequest();
    for (const secret of [first, ...rotations.map((rotation) => rotation.secret)]) {
      expect(verify(secret, request)).toMatchObject({ type: 3 });
    }
  });

  it('is generated once at its first use for a webhook without one', async () => {
    const { world, webhook } = tested;
    await world.dataSource.query('UPDATE webhook SET secret = NULL WHERE id = ?', [webhook.id]);
    const secrets = await Promise.all([webhook.secret(), webhook.secret(), webhook.secret()]);
    expect(new Set(secrets).size).toBe(1);
    await world.dataSource.query('UPDATE webhook SET secret = NULL WHERE id = ?', [webhook.id]);
    const request = await oneRequest();
    expect(verify(await webhook.secret(), request)).toMatchObject({ type: 3 });
  });

  it('fails only the attempts of its own webhook when it cannot be decrypted', async () => {
    const { world, receiver, endpoint, webhook } = tested;
    await world.dataSource.query("UPDATE webhook SET secret = '00000000.AAAA' WHERE id = ?", [webhook.id]);
    const healthy = receiver.endpoint();
    await tested.addWebhook(healthy);
    await tested.comment();
    await healthy.received(1);
    const { attempts, state } = await webhook.firstDelivery(({ attemptCount }) => attemptCount === 3);
    expect(state).toBe('failed');
    expect(attempts[0]).toMatchObject({ status: null, error: expect.stringContaining('ENCRYPTION_KEY') });
    expect(endpoint.requests).toEqual([]);
  });

  it('permits rotation when it cannot be decrypted', async () => {
    await tested.world.dataSource.query("UPDATE webhook SET secret = '00000000.AAAA' WHERE id = ?", [
      tested.webhook.id,
    ]);
    const { secret } = await rotate();
    const request = await oneRequest();
    expect(verify(secret, request)).toMatchObject({ type: 3 });
    expect(String(request.headers['webhook-signature']).split(' ')).toHaveLength(1);
  });

  it.each<[string, () => Promise<Person>, number]>([
    ['a member', () => tested.world.addMember(tested.project), 403],
    ['a Viewer', () => tested.world.addMember(tested.project, RoleType.Viewer), 403],
    ['a user outside the project', () => tested.world.addUser(), 404],
    ['an administrator of another project', administratorElsewhere, 404],
    ['an administrator of the project', () => Promise.resolve(tested.owner), 200],
    ['an Administrator', () => Promise.resolve(tested.world.admin), 200],
  ])('answers reads and rotations by %s with $2', async (_who, find, status) => {
    const { webhook } = tested;
    const { api } = await find();
    const before = await webhook.secret();
    expect((await api.get(`${webhook.path}/secret`)).status).toBe(status);
    const rotation = await api.post(`${webhook.path}/secret/rotate`);
    expect(rotation.status).toBe(status);
    if (status !== 200) expect(rotation.body).toEqual(errorShape(status === 403 ? 5 : 6));
    expect((await webhook.secret()) === before).toBe(status !== 200);
  });

  async function administratorElsewhere(): Promise<Person> {
    return tested.world.addMember(await tested.world.addProject(), undefined, true);
  }

  it('stays out of the database in plain text', async () => {
    const { world, owner, endpoint, webhook } = tested;
    const old = await webhook.secret();
    const { secret } = await rotate();
    await oneRequest();
    const dump = JSON.stringify(await everythingStored(world));
    expect(dump).toContain(endpoint.url);
    for (const text of [old, secret]) {
      const bytes = Buffer.from(text.replace('whsec_', ''), 'base64');
      for (const form of [
        bytes.toString('base64').slice(0, -1),
        bytes.toString('base64url'),
        bytes.toString('hex'),
      ]) {
        expect(dump).not.toContain(form);
      }
    }
    expect(dump).not.toContain(owner.key);
  });

  it('stays out of the log, as do API keys', async () => {
    const lines = await new Child('use-secrets').restOfLines();
    const secrets = JSON.parse(lines.pop() ?? '') as string[];
    const linesWith = (text: string): string[] => lines.filter((line) => line.includes(text));
    for (const told of ['/secret/rotate', 'is disabled', 'Cannot sign for webhook']) {
      expect(linesWith(told)).not.toEqual([]);
    }
    expect(secrets).toHaveLength(6);
    for (const secret of secrets) expect(linesWith(secret.replace('whsec_', ''))).toEqual([]);
  });
});
