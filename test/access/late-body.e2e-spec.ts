import { type ClientRequest, request } from 'node:http';
import { readdir } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AccessGuard } from '../../src/access/access.guard';
import { Environment } from '../../src/config/environment';
import { RoleType } from '../../src/access/role-type';
import { everythingStored } from '../support/records';
import { signedIn } from '../support/sessions';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

/** A request whose body is held back after its first bytes. */
interface HeldRequest {
  /** Sends the rest, and returns the status of the response. */
  finish(): Promise<number>;
}

describe('a request body that arrives after its head', () => {
  const tested = useWorld();
  let project: ProjectFixture;

  beforeAll(async () => {
    project = await tested.world.addProject();
  });

  const held: ClientRequest[] = [];

  // A failed test leaves requests that would delay the shutdown of the service.
  afterEach(() => {
    for (const sent of held.splice(0)) sent.destroy();
  });

  const hold = (person: Person, method: string, path: string, body: object): Promise<HeldRequest> =>
    holdBytes(person, method, path, 'application/json', JSON.stringify(body), 1);

  const guard = vi.spyOn(AccessGuard.prototype, 'canActivate');
  afterAll(() => guard.mockRestore());

  /** Resolves when the service has admitted the request by its head, and the first bytes of its body have been sent. */
  async function holdBytes(
    person: Person,
    method: string,
    path: string,
    type: string,
    text: string,
    bytesAtOnce: number,
  ): Promise<HeldRequest> {
    return holdRequest(
      `${tested.world.server.baseUrl}${path}`,
      { method, headers: { 'X-API-Key': person.key, 'Content-Type': type } },
      text,
      bytesAtOnce,
    );
  }

  async function holdRequest(
    url: string | URL,
    { method, headers }: { method: string; headers: Record<string, string> },
    text: string,
    bytesAtOnce: number,
  ): Promise<HeldRequest> {
    const sent = request(url, {
      method,
      headers: {
        ...headers,
        'Content-Length': Buffer.byteLength(text),
        Expect: '100-continue',
      },
    });
    held.push(sent);
    const answered = new Promise<number>((resolve, reject) => {
      sent.once('error', reject);
      sent.once('response', (response) => {
        response.resume();
        resolve(response.statusCode as number);
      });
    });
    guard.mockClear();
    sent.flushHeaders();
    await new Promise((resolve) => sent.once('continue', resolve));
    sent.write(text.slice(0, bytesAtOnce));
    while (guard.mock.results.length === 0) await nextTurn();
    await guard.mock.results[0]?.value;
    return {
      finish: () => {
        sent.end(text.slice(bytesAtOnce));
        return answered;
      },
    };
  }

  const NEW_ADMINISTRATOR = {
    password: 'a long password',
    name: 'Somebody',
    mailAddress: 'somebody@example.com',
    roleType: RoleType.Administrator,
  };

  it('succeeds when the caller still has the right', async () => {
    const { world } = tested;
    const held = await hold(world.admin, 'POST', '/users', { ...NEW_ADMINISTRATOR, userId: 'welcome' });
    expect(await held.finish()).toBe(201);
  });

  it('fails with 403 when the caller has been demoted meanwhile', async () => {
    const { world } = tested;
    const person = await world.addUser(RoleType.Administrator);
    const held = [
      await hold(person, 'POST', '/users', { ...NEW_ADMINISTRATOR, userId: 'unwelcome' }),
      await hold(person, 'POST', `/users/${world.admin.id}/apiKeys`, { name: 'Stolen' }),
      await hold(person, 'PATCH', `/users/${person.id}`, { roleType: RoleType.Administrator }),
    ];
    const { status } = await world.admin.api.patch(`/users/${person.id}`, { roleType: RoleType.Viewer });
    expect(status).toBe(200);
    for (const request of held) expect(await request.finish()).toBe(403);
    const { body: users } =
      await world.admin.api.get<{ id: number; userId: string; roleType: number }[]>('/users');
    expect(users.map(({ userId }) => userId)).not.toContain('unwelcome');
    expect(users.find(({ id }) => id === person.id)?.roleType).toBe(RoleType.Viewer);
  });

  it('fails with 401 when the caller has been removed meanwhile', async () => {
    const { world } = tested;
    const person = await world.addUser(RoleType.Administrator);
    const held = await hold(person, 'POST', '/projects', { name: 'Late', key: 'LATE' });
    expect((await world.admin.api.delete(`/users/${person.id}`)).status).toBe(200);
    expect(await held.finish()).toBe(401);
    expect((await world.admin.api.get('/projects/LATE')).status).toBe(404);
  });

  it('fails with 404 when the caller has left the project meanwhile', async () => {
    const { world } = tested;
    const person = await world.addMember(project);
    const comment = { content: 'Too late' };
    const held = await hold(person, 'POST', `/issues/${project.issueKey}/comments`, comment);
    const users = `/projects/${project.key}/users`;
    expect((await world.admin.api.delete(users, { userId: person.id })).status).toBe(200);
    expect(await held.finish()).toBe(404);
  });

  it.each<[string, (person: Person) => Promise<{ status: number }>, number]>([
    ['whose session has ended', ({ id }) => tested.world.admin.api.delete(`/users/${id}/sessions`), 303],
    [
      'who has been disabled',
      ({ id }) => tested.world.admin.api.patch(`/users/${id}`, { enabled: false }),
      303,
    ],
    [
      'who has been demoted',
      ({ id }) => tested.world.admin.api.patch(`/users/${id}`, { roleType: RoleType.Viewer }),
      403,
    ],
  ])('changes nothing by a form of a user %s', async (_who, end, status) => {
    const { world } = tested;
    const person = await world.addUser(RoleType.Administrator);
    const { session } = await signedIn(world, person.id);
    const { cookie = '', csrf = '' } = session ?? {};
    const headers = {
      Cookie: cookie,
      'Sec-Fetch-Site': 'same-origin',
      'Content-Type': 'application/x-www-form-urlencoded',
    };
    const mailAddress = `${person.id}@example.net`;
    const forms = {
      '/account/keys': { name: 'Stolen' },
      '/account/invitations': { mailAddresses: mailAddress, roleType: String(RoleType.Viewer) },
    };
    const hold = (path: keyof typeof forms): Promise<HeldRequest> =>
      holdRequest(
        new URL(path, world.server.baseUrl),
        { method: 'POST', headers },
        new URLSearchParams({ ...forms[path], csrf }).toString(),
        1,
      );
    const keys = await hold('/account/keys');
    const invitations = await hold('/account/invitations');
    const before = await stored();
    expect((await end(person)).status).toBeLessThan(300);
    expect(await invitations.finish()).toBe(status);
    // Everybody may add keys.
    expect(await keys.finish()).toBe(status === 403 ? 200 : status);
    const after = await stored();
    expect(after.invitations).toBe(before.invitations);
    expect(after.keys - before.keys).toBe(status === 403 ? 1 : 0);
  });

  const stored = async (): Promise<{ keys: number; invitations: number }> => {
    const { api_key: keys, invitation } = await everythingStored(tested.world);
    return { keys: keys?.length ?? 0, invitations: invitation?.length ?? 0 };
  };

  describe('with a file', () => {
    const HEAD = '--b\r\nContent-Disposition: form-data; name="file"; filename="late.txt"\r\n\r\n';
    const UPLOAD = `${HEAD}content\r\n--b--\r\n`;

    /** Returns the names of all files in storage. */
    const files = async (): Promise<string[]> => {
      const folder = tested.world.service(Environment).STORAGE_URL.slice('file:'.length);
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    };

    const upload = (person: Person, bytesAtOnce: number): Promise<HeldRequest> =>
      holdBytes(person, 'POST', '/space/attachment', 'multipart/form-data; boundary=b', UPLOAD, bytesAtOnce);

    it.each([
      ['before the part header', 1],
      ['after the first bytes of the file', HEAD.length + 5],
      ['before the end of the file', UPLOAD.length - 10],
      ['before the end of the form', UPLOAD.length - 2],
    ])('succeeds after a pause %s when the caller still has the right', async (_when, bytesAtOnce) => {
      const person = await tested.world.addUser();
      expect(await (await upload(person, bytesAtOnce)).finish()).toBe(200);
    });

    it.each([
      ['before the part header', 1],
      ['after the first bytes of the file', HEAD.length + 5],
      ['before the end of the file', UPLOAD.length - 10],
      ['before the end of the form', UPLOAD.length - 2],
    ])('stores nothing when the caller is demoted or removed %s', async (_when, bytesAtOnce) => {
      const { world } = tested;
      const demoted = await world.addUser();
      const removed = await world.addUser();
      for (const [person, status] of [
        [demoted, 403],
        [removed, 401],
      ] as const) {
        const [before, stored] = [await uploads(), await files()];
        const held = await upload(person, bytesAtOnce);
        // The row is written before the first byte.
        if (bytesAtOnce > HEAD.length) while ((await uploads()) === before) await nextTurn();
        const change =
          person === demoted
            ? await world.admin.api.patch(`/users/${person.id}`, { roleType: RoleType.Viewer })
            : await world.admin.api.delete(`/users/${person.id}`);
        expect(change.status).toBe(200);
        expect(await held.finish()).toBe(status);
        expect(await uploads()).toBe(before);
        expect(await files()).toEqual(stored);
      }
    });

    /** Returns the stored rows about uploads. */
    const uploads = async (): Promise<string> => {
      const { attachment, space } = await everythingStored(tested.world);
      return JSON.stringify({ attachment, space });
    };
  });
});
