import { RoleType } from '../../src/access/role-type';
import { type DeliveryDto } from '../../src/webhooks/dto/delivery.dto';
import { statementsOf } from '../support/records';
import {
  addWebhook,
  disable,
  eventually,
  QUICK_DELIVERY,
  useWebhook,
  WebhookFixture,
} from '../support/webhooks';
import { type Person, pullRequestComments, useWorld } from '../support/world';

const OTHERS = [RoleType.Reporter, RoleType.Viewer, RoleType.GuestReporter, RoleType.GuestViewer];
const COMMENTED = 3;
const REVIEWED = 20;

describe('a webhook for pull request events', () => {
  const tested = useWebhook(useWorld({ ...QUICK_DELIVERY, WEBHOOK_CIRCUIT_FAILURES: '1' }));

  /** Comments on the pull request as the owner: one event of type 20. */
  async function review(): Promise<void> {
    const { status } = await tested.owner.api.post(pullRequestComments(tested.project), {
      content: 'Hidden',
    });
    expect(status).toBe(200);
  }

  const administratorAs = (role: RoleType): Promise<Person> =>
    tested.world.addMember(tested.project, role, true);

  /** Returns the webhook as another user sees it. */
  const seenBy = (person: Person, webhook = tested.webhook): WebhookFixture =>
    new WebhookFixture(webhook.id, webhook.project, person);

  const changeUser = (person: { id: number }, changes: string): Promise<unknown> =>
    tested.world.dataSource.query(`UPDATE user SET ${changes} WHERE id = ?`, [person.id]);

  const typesOf = (deliveries: readonly DeliveryDto[]): number[] =>
    deliveries.map(({ activityTypeId }) => activityTypeId);

  describe('the delivery log', () => {
    let reviewed: DeliveryDto;
    let commented: DeliveryDto;

    beforeEach(async () => {
      await review();
      await tested.comment();
      [reviewed, commented] = (await tested.webhook.delivered(2)) as [DeliveryDto, DeliveryDto];
      expect(typesOf([reviewed, commented])).toEqual([REVIEWED, COMMENTED]);
    });

    it.each(OTHERS)('hides pull request events from role %d as if they did not exist', async (role) => {
      const person = await administratorAs(role);
      const { path } = tested.webhook;
      expect(await seenBy(person).deliveries()).toEqual([commented]);
      expect(await seenBy(person).deliveries('&activityTypeId[]=20')).toEqual([]);
      expect(await seenBy(person).deliveries('&activityTypeId[]=20&activityTypeId[]=3')).toEqual([commented]);
      expect((await person.api.get(`${path}/deliveries/${commented.id}`)).status).toBe(200);
      for (const method of ['GET', 'POST']) {
        const suffix = method === 'GET' ? '' : '/redeliver';
        const hidden = await person.api.send(method, `${path}/deliveries/${reviewed.id}${suffix}`);
        const missing = await person.api.send(method, `${path}/deliveries/999999999${suffix}`);
        expect([hidden.status, hidden.text]).toEqual([404, missing.text]);
      }
    });

    it('fills pages with visible deliveries only', async () => {
      const person = await administratorAs(RoleType.Viewer);
      await review();
      await tested.comment();
      await tested.webhook.delivered(4);
      const first = await person.api.get<DeliveryDto[]>(`${tested.webhook.path}/deliveries?count=1`);
      expect(typesOf(first.body)).toEqual([COMMENTED]);
      const next = new URL(/<(.+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] as string).search;
      const second = await person.api.get<DeliveryDto[]>(`${tested.webhook.path}/deliveries${next}`);
      expect(second.body).toEqual([commented]);
      expect(second.headers.get('link')).toBeNull();
    });

    it('reads a page in one query for every user', async () => {
      const person = await administratorAs(RoleType.Viewer);
      const { world, owner, webhook } = tested;
      for (const { api } of [owner, person]) {
        const sent = await statementsOf(world, () => api.get(`${webhook.path}/deliveries`));
        expect(sent.filter((sql) => sql.includes('d.`finished` AS `finished`'))).toHaveLength(1);
      }
    });

    it('excludes hidden deliveries when a Viewer resends a time range', async () => {
      const person = await administratorAs(RoleType.Viewer);
      const { endpoint, owner, webhook } = tested;
      const body = { since: '2020-01-01T00:00:00Z', state: 'delivered' };
      const path = `${webhook.path}/deliveries/redeliver`;
      expect((await person.api.post(path, body)).body).toEqual({ count: 1 });
      const [, , third] = await endpoint.received(3);
      expect(third?.headers['webhook-id']).toBe(commented.messageId);
      await webhook.delivered(2);
      expect((await owner.api.post(path, body)).body).toEqual({ count: 2 });
    });

    it('shows a Viewer the sample of a pull request event', async () => {
      const person = await administratorAs(RoleType.Viewer);
      const { path } = tested.webhook;
      const { status, body } = await person.api.post<DeliveryDto>(`${path}/test`, { activityTypeId: 18 });
      expect(status).toBe(201);
      expect((await person.api.get(`${path}/deliveries/${body.id}`)).status).toBe(200);
      expect((await seenBy(person).deliveries()).map(({ id }) => id)).toContain(body.id);
    });
  });

  describe('the dispatch of events', () => {
    /** Returns the types that a webhook receives for a review and a comment. */
    async function typesSentTo(webhook: WebhookFixture): Promise<number[]> {
      await review();
      await tested.comment();
      const seen = seenBy(tested.world.admin, webhook);
      const deliveries = await eventually(
        () => seen.deliveries(),
        (all) =>
          all.some(({ activityTypeId, state }) => activityTypeId === COMMENTED && state === 'delivered'),
      );
      return typesOf(deliveries);
    }

    const addFor = (person: Person): Promise<WebhookFixture> =>
      addWebhook(person, tested.project, tested.receiver.endpoint());

    it.each(OTHERS)('withholds pull request events from a webhook added by role %d', async (role) => {
      expect(await typesSentTo(await addFor(await administratorAs(role)))).toEqual([COMMENTED]);
    });

    it('sends pull request events to webhooks of Administrators and Normal Users', async () => {
      expect(await typesSentTo(tested.webhook)).toEqual([REVIEWED, COMMENTED]);
      expect(await typesSentTo(await addFor(tested.world.admin))).toEqual([REVIEWED, COMMENTED]);
    });

    it('withholds pull request events from a webhook whose owner has become a Viewer', async () => {
      const person = await administratorAs(RoleType.NormalUser);
      const webhook = await addFor(person);
      await changeUser(person, `role_type = ${RoleType.Viewer}`);
      expect(await typesSentTo(webhook)).toEqual([COMMENTED]);
    });

    it.each<[string, (person: Person) => Promise<unknown>]>([
      ['has been deleted', (person) => changeUser(person, 'active = 0')],
      [
        'has left the project',
        (person) =>
          tested.world.dataSource.query('DELETE FROM project_member WHERE user_id = ?', [person.id]),
      ],
    ])('sends pull request events to a webhook whose owner %s', async (_what, change) => {
      const person = await administratorAs(RoleType.NormalUser);
      const webhook = await addFor(person);
      await change(person);
      expect(await typesSentTo(webhook)).toEqual([REVIEWED, COMMENTED]);
    });

    it('withholds pull request events from a webhook that a Viewer has changed', async () => {
      const person = await administratorAs(RoleType.Viewer);
      const { status } = await person.api.patch(tested.webhook.path, { name: 'Mine now' });
      expect(status).toBe(200);
      expect(await typesSentTo(tested.webhook)).toEqual([COMMENTED]);
    });
  });

  it('withholds pending events from an address set by a Viewer, without counting failures', async () => {
    const { world, receiver, endpoint, webhook } = tested;
    const person = await administratorAs(RoleType.Viewer);
    await disable(world, webhook);
    await review();
    await tested.comment();
    const moved = receiver.endpoint();
    await person.api.patch(webhook.path, { hookUrl: moved.url });
    await person.api.post(`${webhook.path}/enable`);
    await moved.received(1);
    const [reviewed, commented] = await eventually(
      () => webhook.deliveries(),
      (deliveries) => deliveries.every(({ state }) => state !== 'pending'),
    );
    expect([reviewed?.state, commented?.state]).toEqual(['failed', 'delivered']);
    const first = await webhook.delivery(reviewed?.id as number);
    expect(first.attempts).toMatchObject([{ status: null, error: expect.stringContaining('Not sent') }]);
    expect(moved.requests.map(({ body }) => (JSON.parse(body) as { type: number }).type)).toEqual([
      COMMENTED,
    ]);
    expect(endpoint.requests).toEqual([]);
    const [health] = await world.dataSource.query<unknown[]>(
      'SELECT failures, paused_until AS pausedUntil FROM webhook_health WHERE webhook_id = ?',
      [webhook.id],
    );
    expect(health).toEqual({ failures: 0, pausedUntil: 0 });

    // Even a redelivery by a user who may see it is not sent to the new address.
    await world.admin.api.post(`${webhook.path}/deliveries/${reviewed?.id}/redeliver`);
    const again = await eventually(
      () => webhook.delivery(reviewed?.id as number),
      ({ attempts, state }) => attempts.length === 2 && state === 'failed',
    );
    expect(again.attempts[1]).toMatchObject({ status: null, response: '' });
    expect(moved.requests).toHaveLength(1);
  });

  it('sends a permitted event queued behind withheld ones after its pause', async () => {
    const { world, endpoint, webhook } = tested;
    const person = await administratorAs(RoleType.Viewer);
    await disable(world, webhook);
    for (let number = 0; number < 3; number++) await review();
    await tested.comment();
    await person.api.patch(webhook.path, { name: 'Mine now' });
    // Its circuit was open until just now, so that one attempt is allowed at a time.
    await world.dataSource.query(
      'UPDATE webhook_health SET enabled = ?, failures = 1, paused_until = 1, pauses = 1 WHERE webhook_id = ?',
      [true, webhook.id],
    );
    const [request] = await endpoint.received(1);
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ type: COMMENTED });
  });
});
