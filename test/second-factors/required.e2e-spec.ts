import { RoleType } from '../../src/access/role-type';
import { SecondFactorRepository } from '../../src/second-factors/data/second-factor.repository';
import { documentedOperations } from '../support/conformance';
import { type ApiResponse } from '../support/api';
import { type KeepingBrowser, signInBrowser } from '../support/browser';
import { addApp } from '../support/factors';
import { addKey } from '../support/keys';
import { sendMessage } from '../support/mcp';
import { OPERATIONS } from '../support/operations';
import { type Person, type ProjectFixture, useWorld, type World } from '../support/world';

const PUBLIC_URL = 'https://tracker.example.com';
const PAGE = `${PUBLIC_URL}/account/factors`;

/** The refusal of a request for lack of a second factor. */
const REFUSAL = { errors: [{ message: expect.stringContaining(PAGE), code: 12, moreInfo: PAGE }] };

const PROTECTED = documentedOperations.filter(
  ({ operation }) => OPERATIONS[operation.operationId ?? '']?.scope !== 'public',
);

describe('a second factor that everybody needs', () => {
  const tested = useWorld({ REQUIRE_MFA: 'all', PUBLIC_URL, RATE_LIMIT: 'off' });
  let world: World;
  let person: Person;
  let project: ProjectFixture;

  beforeAll(async () => {
    world = tested.world;
    await addApp(world, world.admin.id);
    project = await world.addProject();
    person = await world.addMember(project, RoleType.Administrator, true);
  });

  it('is required by every operation from a user with a key', async () => {
    expect(PROTECTED.length).toBeGreaterThan(150);
    for (const { method, path, operation } of PROTECTED) {
      const address = path.replace(/\{\w+\}/g, '1');
      const { status, body } = await person.api.send(method.toUpperCase(), address);
      expect([operation.operationId, status, body]).toEqual([operation.operationId, 403, REFUSAL]);
    }
  });

  it('is required by every operation from a user who has signed in', async () => {
    const browser = await signInBrowser(world, person.id);
    for (const { method, path, operation } of PROTECTED) {
      const { status, body } = await withSession(browser, method, path.replace(/\{\w+\}/g, '1'));
      expect([operation.operationId, status, body]).toEqual([operation.operationId, 403, REFUSAL]);
    }
  });

  it('is required by git', async () => {
    const { body } = await world.admin.api.get<{ userId: string }>(`/users/${person.id}`);
    const path = `/git/${project.key}/${project.repositoryName}.git/info/refs?service=git-upload-pack`;
    const response = await fetch(new URL(path, world.server.baseUrl), {
      headers: { authorization: `Basic ${btoa(`${body.userId}:${person.key}`)}` },
    });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain(PAGE);
  });

  it('is required by the MCP endpoint', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const response = await sendMessage(world, person.key, message);
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual(REFUSAL);
  });

  it('is not required from AI agents', async () => {
    const agent = await addKey(world, person, { agent: 'Helper' });
    const { status } = await world.anonymous.send('GET', '/users/myself', undefined, { 'X-API-Key': agent });
    expect(status).toBe(200);
  });

  it('is required from keys with limits', async () => {
    const limited = await addKey(world, person, { scopes: ['read'] });
    const { body } = await world.anonymous.send('GET', '/users/myself', undefined, { 'X-API-Key': limited });
    expect(body).toEqual(REFUSAL);
  });

  it('opens no page but those to set it up, to confirm the sign-in and to sign out', async () => {
    const browser = await signInBrowser(world, (await world.addUser()).id);
    const ofAccount = ['/account', '/account/password', '/account/sessions', '/account/keys'];
    for (const path of [...ofAccount, `/view/${project.issueKey}`, `/projects/${project.key}`]) {
      expect(await browser.open(path)).toMatchObject({ status: 303, location: '/account/factors' });
    }
    for (const path of ['/account', '/account/keys', '/account/sessions/end-others']) {
      expect(await browser.submit(path)).toMatchObject({ status: 303, location: '/account/factors' });
    }
    const { status, text } = await browser.open('/account/factors');
    expect([status, text.includes('This space requires a second factor')]).toEqual([200, true]);
    expect((await browser.open('/sign-in/confirm')).status).toBe(200);
    expect((await browser.submit('/sign-out')).location).toBe('/sign-in');
  });

  it('admits its user at once when it is set up, and no longer when it is removed', async () => {
    const user = await world.addUser();
    expect((await user.api.get('/users/myself')).status).toBe(403);
    const { browser } = await addApp(world, user.id);
    expect((await user.api.get('/users/myself')).status).toBe(200);
    expect((await browser.open('/account')).status).toBe(200);
    await world.admin.api.delete(`/users/${user.id}/secondFactors`);
    expect((await user.api.get('/users/myself')).body).toEqual(REFUSAL);
    expect((await browser.open('/account')).location).toBe('/account/factors');
  });

  it('is looked up once for each credential', async () => {
    const user = await world.addUser();
    await addApp(world, user.id);
    const lookups = vi.spyOn(SecondFactorRepository.prototype, 'exists');
    for (let count = 0; count < 5; count++) await user.api.get('/users/myself');
    expect(lookups).toHaveBeenCalledTimes(1);
    lookups.mockRestore();
  });

  /** Sends a request as a page of the service does. */
  async function withSession(browser: KeepingBrowser, method: string, path: string): Promise<ApiResponse> {
    return world.anonymous.send(method.toUpperCase(), path, undefined, {
      cookie: browser.cookie,
      'x-csrf-token': browser.csrf,
      'sec-fetch-site': 'same-origin',
    });
  }
});

describe('a second factor that Administrators need', () => {
  const tested = useWorld({ REQUIRE_MFA: 'administrators', PUBLIC_URL });

  it('is required from Administrators, also with a key without their rights, and not from others', async () => {
    const { world } = tested;
    const { admin } = world;
    expect((await (await world.addUser()).api.get('/users/myself')).status).toBe(200);
    expect((await admin.api.get('/users/myself')).body).toEqual(REFUSAL);
    const limited = await addKey(world, admin, { scopes: ['read'] });
    const { body } = await world.anonymous.send('GET', '/users/myself', undefined, { 'X-API-Key': limited });
    expect(body).toEqual(REFUSAL);
    await addApp(world, admin.id);
    expect((await admin.api.get('/users/myself')).status).toBe(200);
  });
});

describe('a second factor that nobody needs', () => {
  const tested = useWorld();

  it('costs requests no query', async () => {
    const { world } = tested;
    const lookups = vi.spyOn(SecondFactorRepository.prototype, 'exists');
    const user = await world.addUser();
    expect((await user.api.get('/users/myself')).status).toBe(200);
    expect(lookups).not.toHaveBeenCalled();
    lookups.mockRestore();
  });
});
