import { Agent, request } from 'undici';
import { SessionsService } from '../../src/sessions/sessions.service';
import { RoleType } from '../../src/access/role-type';
import { itOnServer } from '../support/engines';
import { errorShape } from '../support/shapes';
import { call, CASES_ENVIRONMENT, TESTED_OPERATIONS } from '../support/operations';
import { everythingStored } from '../support/records';
import { ageSessions, Browser, PASSWORD, signedIn } from '../support/sessions';
import { eventually } from '../support/webhooks';
import { type Person, useSharedDatabase, useWorld, World } from '../support/world';

const dispatcher = new Agent({ keepAliveTimeout: 1000 });

interface ListedSession {
  id: number;
  current: boolean;
  address: string;
  userAgent: string;
}

describe('a session', () => {
  const tested = useWorld(CASES_ENVIRONMENT);
  beforeAll(() => tested.world.stopDeliveries());
  let person: Person;
  let browser: Browser;

  beforeEach(async () => {
    person = await tested.world.addUser();
    browser = await signedIn(tested.world, person.id);
  });

  /** Sends a request of a page's script to the API. */
  async function send(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    headers: Record<string, string> = {},
    body?: object,
  ): Promise<{ status: number; body: any }> {
    const response = await request(tested.world.server.baseUrl + path, {
      dispatcher,
      method,
      body: body && JSON.stringify(body),
      headers: {
        Cookie: String(browser.session?.cookie),
        ...(body && { 'Content-Type': 'application/json' }),
        ...headers,
      },
    });
    return { status: response.statusCode, body: await response.body.json() };
  }

  const ownPage = { 'Sec-Fetch-Site': 'same-origin' };
  const withToken = (): Record<string, string> => ({
    ...ownPage,
    'X-CSRF-Token': String(browser.session?.csrf),
  });

  it('authenticates requests of the own pages to the API', async () => {
    expect(await send('GET', '/users/myself', ownPage)).toMatchObject({
      status: 200,
      body: { id: person.id },
    });
    const origin = new URL(tested.world.server.baseUrl).origin;
    expect((await send('GET', '/users/myself', { Origin: origin })).status).toBe(200);
    expect((await send('GET', '/users/myself', { 'Sec-Fetch-Site': 'none' })).status).toBe(200);
    const changed = await send('PATCH', `/users/${person.id}`, withToken(), { name: 'By a page' });
    expect(changed).toMatchObject({ status: 200, body: { name: 'By a page' } });
  });

  it('does not authenticate requests of other sites and programs', async () => {
    const foreign: Record<string, string>[] = [
      {},
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'https://evil.test' },
      { Origin: 'null' },
    ];
    for (const headers of foreign) {
      const answer = await send('GET', '/users/myself', headers);
      expect(answer).toEqual({ status: 403, body: errorShape(5) });
    }
  });

  it('gives way to an API key', async () => {
    const answer = await send('GET', '/users/myself', { 'X-API-Key': tested.world.admin.key });
    expect(answer).toMatchObject({ status: 200, body: { id: tested.world.admin.id } });
  });

  it('does not authenticate with its token as a key, or with a key as its token', async () => {
    const token = String(browser.session?.token);
    await send('GET', '/users/myself', ownPage);
    const ask = (headers: Record<string, string>): Promise<{ status: number }> =>
      tested.world.anonymous.send('GET', '/users/myself', undefined, headers);
    expect((await ask({ 'X-API-Key': token })).status).toBe(401);
    expect((await ask({ Authorization: `Bearer ${token}` })).status).toBe(401);
    const key = person.key.slice(0, 43);
    expect((await ask({ Cookie: `__Host-pms=${key}`, ...ownPage })).status).toBe(401);
  });

  it('changes nothing for a page of another site or without the token, by any operation', async () => {
    const { world } = tested;
    const admin = await signedIn(world, world.admin.id);
    const project = await world.addProject();
    const forged: Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'cross-site', 'X-CSRF-Token': String(admin.session?.csrf) },
      { 'Sec-Fetch-Site': 'same-site', 'X-CSRF-Token': String(admin.session?.csrf) },
      { 'Sec-Fetch-Site': 'none', 'X-CSRF-Token': String(admin.session?.csrf) },
      { 'X-CSRF-Token': String(admin.session?.csrf) },
      ownPage,
      { ...ownPage, 'X-CSRF-Token': String(browser.session?.csrf) },
    ];
    const writes = TESTED_OPERATIONS.filter(({ method, withGit }) => method !== 'GET' && !withGit);
    expect(writes.length).toBeGreaterThan(90);
    for (const operation of writes) {
      const names = (await operation.names?.(world, project, world.admin)) ?? {};
      const body = await operation.body?.(world, world.admin, project, names);
      const before = await everythingStored(world);
      const headers = forged[writes.indexOf(operation) % forged.length];
      const { status } = await call(world, operation, undefined, names, {
        body,
        headers: { ...headers, Cookie: String(admin.session?.cookie) },
      });
      expect([operation.id, status]).toEqual([operation.id, 403]);
      expect(await everythingStored(world)).toEqual(before);
    }
  });

  it('needs a recent sign-in for what outlives it', async () => {
    await ageSessions(tested.world, person.id, 9 * 60_000);
    expect((await send('POST', `/users/${person.id}/apiKeys`, withToken(), { name: 'x' })).status).toBe(201);
    await ageSessions(tested.world, person.id, 2 * 60_000);
    const refused = await send('POST', `/users/${person.id}/apiKeys`, withToken(), { name: 'y' });
    expect(refused).toMatchObject({
      status: 403,
      body: { errors: [{ message: expect.stringContaining('/sign-in/confirm') }] },
    });
    expect((await send('GET', `/users/${person.id}/apiKeys`, ownPage)).status).toBe(200);
  });

  it('is listed and ended by its user', async () => {
    const other = await signedIn(tested.world, (await tested.world.addUser()).id);
    // A link ends the other sessions, so that the second one is started by the password.
    const second = new Browser(tested.world);
    const { body: me } = await person.api.get<{ userId: string }>('/users/myself');
    await second.signIn(me.userId, PASSWORD);
    const { body: list } = await send('GET', `/users/${person.id}/sessions`, ownPage);
    expect(list).toHaveLength(2);
    const listed = (list as ListedSession[]).find(({ current }) => !current);
    expect(listed).toMatchObject({ address: '127.0.0.1', userAgent: '' });
    expect(JSON.stringify(list)).not.toContain(String(second.session?.token));
    const ended = await send('DELETE', `/users/${person.id}/sessions/${listed?.id}`, withToken());
    expect(ended.status).toBe(200);
    expect((await second.open('/account')).status).toBe(303);
    expect((await browser.open('/account')).status).toBe(200);
    const again = await send('DELETE', `/users/${person.id}/sessions/${listed?.id}`, withToken());
    expect(again.status).toBe(404);
    expect((await other.open('/account')).status).toBe(200);
  });

  it('is kept when its user ends all others', async () => {
    const { body: me } = await person.api.get<{ userId: string }>('/users/myself');
    const others = [1, 2, 3].map(() => new Browser(tested.world));
    for (const other of others) await other.signIn(me.userId, PASSWORD);
    const { status, body } = await send('DELETE', `/users/${person.id}/sessions`, withToken());
    expect({ status, count: (body as unknown[]).length }).toEqual({ status: 200, count: 3 });
    for (const other of others) expect((await other.open('/account')).status).toBe(303);
    expect((await browser.open('/account')).status).toBe(200);
    await tested.world.admin.api.delete(`/users/${person.id}/sessions`);
    expect((await browser.open('/account')).status).toBe(303);
  });

  it.each([
    ['is disabled', { enabled: false }],
    ['gets another password', { password: 'another good password' }],
  ])('ends when its user %s', async (_event, change) => {
    expect((await send('GET', '/users/myself', ownPage)).status).toBe(200);
    await tested.world.admin.api.patch(`/users/${person.id}`, change);
    expect((await send('GET', '/users/myself', ownPage)).status).toBe(401);
    await tested.world.admin.api.patch(`/users/${person.id}`, { enabled: true });
    expect((await send('GET', '/users/myself', ownPage)).status).toBe(401);
  });

  it('ends when its user leaves', async () => {
    await tested.world.addComment((await tested.world.addProject()).issueThreadId, person);
    await tested.world.admin.api.delete(`/users/${person.id}`);
    expect((await send('GET', '/users/myself', ownPage)).status).toBe(401);
  });

  it('goes on when the password is changed in it', async () => {
    const change = { password: 'another good password' };
    expect((await send('PATCH', `/users/${person.id}`, withToken(), change)).status).toBe(200);
    expect((await send('GET', '/users/myself', ownPage)).status).toBe(200);
  });

  it('has the rights of the role that its user has now', async () => {
    const change = { roleType: RoleType.Administrator };
    expect((await send('GET', '/space/auditLog', ownPage)).status).toBe(403);
    await tested.world.admin.api.patch(`/users/${person.id}`, change);
    expect((await send('GET', '/space/auditLog', ownPage)).status).toBe(200);
  });

  it('ends when its user has 50 that were used later', async () => {
    const sessions = tested.world.service(SessionsService);
    for (let number = 0; number < 50; number++) {
      await tested.world.write((manager) =>
        sessions.start(manager, person.id, { address: '192.0.2.1', userAgent: `Browser ${number}` }),
      );
    }
    const list = await sessions.list(person.id, { id: person.id, roleType: RoleType.NormalUser });
    expect(list).toHaveLength(50);
    expect((await browser.open('/account')).status).toBe(303);
  });

  it('is removed when it has expired', async () => {
    await ageSessions(tested.world, person.id, 15 * 24 * 60 * 60_000);
    tested.world.startBackgroundWork();
    await tested.world.whenIdle();
    const rows = await tested.world.dataSource.query('SELECT id FROM `session` WHERE user_id = ?', [
      person.id,
    ]);
    expect(rows).toEqual([]);
  });
});

describe('a session of a service with several processes', () => {
  /** Within which it ends in every process. */
  const LIMIT_MS = 5000;
  const tested = useSharedDatabase(() => ({}));

  itOnServer('ends in the others within 5 seconds after its user has been disabled', async () => {
    const { world } = tested;
    const person = await world.addUser();
    const { session } = await signedIn(world, person.id);
    const other = await World.start({ DATABASE_URL: tested.databaseUrl });
    try {
      const there = new Browser(other, session);
      expect((await there.open('/account')).status).toBe(200);
      await world.admin.api.patch(`/users/${person.id}`, { enabled: false });
      const begin = performance.now();
      await eventually(
        () => there.open('/account'),
        ({ status }) => status === 303,
      );
      expect(performance.now() - begin).toBeLessThan(LIMIT_MS);
      expect((await new Browser(world, session).open('/account')).status).toBe(303);
    } finally {
      await other.stop();
    }
  });
});
