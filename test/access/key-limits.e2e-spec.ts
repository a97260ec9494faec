import { RoleType } from '../../src/access/role-type';
import { LATEST_TIME } from '../../src/time-range';
import { type ApiKeyDto, type NewApiKeyDto } from '../../src/users/dto/api-key.dto';
import { type KeyLimits } from '../../src/users/key-limits';
import { ApiClient, type ApiResponse } from '../support/api';
import { addKey } from '../support/keys';
import { expectRefused } from '../support/refusals';
import { aTimestamp } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

const HOUR_MS = 3_600_000;

/** Returns the scopes that a refusal names as missing. */
const refusedScopes = ({ status, body }: ApiResponse): string | undefined =>
  status === 403 ? (body as { errors: { moreInfo: string }[] }).errors[0]?.moreInfo : undefined;

describe('an API key with limits', () => {
  const tested = useWorld();
  let person: Person;
  let path: string;

  beforeEach(async () => {
    person = await tested.world.addUser();
    path = `/users/${person.id}/apiKeys`;
  });

  const clientOf = (key: string): ApiClient => new ApiClient(tested.world.server.baseUrl, key);

  it('is added with scopes and an expiry, and listed with them', async () => {
    const limits = { scopes: ['read', 'write:issues'], expires: '2031-05-06T07:08:09Z' };
    const { status, body } = await person.api.post<NewApiKeyDto>(path, { name: 'Agent', ...limits });
    expect(status).toBe(201);
    expect(body).toMatchObject(limits);
    const { key: _, ...shown } = body;
    expect((await person.api.get(path)).body).toContainEqual(shown);
    const { body: entries } = await tested.world.admin.api.get<object[]>('/space/auditLog?count=1');
    expect(entries).toMatchObject([
      {
        action: 'apiKey.add',
        changes: [
          { field: 'userId' },
          { field: 'scopes', to: 'read write:issues' },
          { field: 'expires', to: limits.expires },
        ],
      },
    ]);
  });

  it.each([
    ['scopes', { scopes: [] }],
    ['scopes', { scopes: ['read:everything'] }],
    ['scopes', { scopes: 'read' }],
    ['expires', { expires: '2020-01-01T00:00:00Z' }],
    ['expires', { expires: 'tomorrow' }],
  ])('is refused with 400 for a wrong %s: %j', async (field, limits) => {
    await expectRefused(tested.world, () => person.api.post(path, { name: 'Agent', ...limits }), [field]);
  });

  it('expires at the end of the year 9999 at the latest, which answers can express', async () => {
    const expires = '9999-12-31T23:59:59-01:00';
    const { status, body } = await person.api.post<NewApiKeyDto>(path, { name: 'Forever', expires });
    expect([status, body.expires]).toEqual([201, '9999-12-31T23:59:59Z']);
    const [key] = await tested.world.dataSource.query<[{ expires: number | string }]>(
      "SELECT expires FROM api_key WHERE name = 'Forever'",
    );
    expect(Number(key.expires)).toBe(LATEST_TIME);
  });

  it('is refused from the moment at which it expires, also while it is cached', async () => {
    const { world } = tested;
    const key = await addKey(world, person, { expires: Date.now() + HOUR_MS });
    expect((await clientOf(key).get('/users/myself')).status).toBe(200);
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + HOUR_MS);
    try {
      expect((await clientOf(key).get('/users/myself')).status).toBe(401);
    } finally {
      vi.restoreAllMocks();
    }
  });

  it('changes no mail address, to which links to set a password go', async () => {
    const { world } = tested;
    const client = clientOf(await addKey(world, person, { scopes: ['write'] }));
    const before = (await person.api.get('/users/myself')).body;
    const own = await client.patch(`/users/${person.id}`, { mailAddress: 'other@example.com' });
    expect(own.status).toBe(403);
    expect((await person.api.get('/users/myself')).body).toEqual(before);
  });

  it('adds only keys that may do no more', async () => {
    const { world } = tested;
    const creator = clientOf(await addKey(world, person, { scopes: ['write:users', 'read:issues'] }));
    await expectRefused(world, () => creator.post(path, { name: 'Unlimited' }), ['scopes']);
    for (const scopes of [['read:issues', 'write:issues', 'admin'], ['read']]) {
      await expectRefused(world, () => creator.post(path, { name: 'Wider', scopes }), ['scopes']);
    }
    const answer = await creator.post<ApiKeyDto>(path, {
      name: 'Same',
      scopes: ['read:issues', 'read:users'],
    });
    expect(answer.body).toMatchObject({ scopes: ['read:issues', 'read:users'], created: aTimestamp });
  });

  it('adds only keys that live no longer', async () => {
    const { world } = tested;
    const expires = Math.floor(Date.now() / 1000) * 1000 + HOUR_MS;
    const creator = clientOf(await addKey(world, person, { expires }));
    const add = (at?: number) =>
      creator.post(path, { name: 'Longer', expires: at && new Date(at).toISOString() });
    await expectRefused(world, () => add(), ['expires']);
    await expectRefused(world, () => add(expires + 1000), ['expires']);
    expect((await add(expires)).status).toBe(201);
  });

  it('revokes only keys that may do no more', async () => {
    const { world } = tested;
    const { body } = await person.api.post<NewApiKeyDto>(path, { name: 'Agent', scopes: ['write:users'] });
    const limited = clientOf(body.key);
    await addKey(world, person, { scopes: ['read:users'] });
    const statuses: Record<string, number> = {};
    for (const { id, name, scopes } of (await person.api.get<ApiKeyDto[]>(path)).body.toReversed()) {
      if (id === body.id) continue;
      statuses[`${name} ${scopes?.join() ?? 'all'}`] = (await limited.delete(`${path}/${id}`)).status;
    }
    expect(statuses).toEqual({ 'test all': 403, 'Limited read:users': 200 });
    const expiring = clientOf(await addKey(world, person, { expires: Date.now() + HOUR_MS }));
    expect((await expiring.delete(`${path}/${body.id}`)).status).toBe(403);
    expect((await limited.delete(`${path}/${body.id}`)).status).toBe(200);
  });

  it.each<[string, () => KeyLimits]>([
    ['scopes', () => ({ scopes: ['write', 'admin'] })],
    ['an expiry', () => ({ expires: Date.now() + HOUR_MS })],
  ])('does not change a password with %s', async (_what, limits) => {
    const { world } = tested;
    const limited = clientOf(await addKey(world, person, limits()));
    const user = `/users/${person.id}`;
    expect((await limited.patch(user, { password: 'a new password' })).status).toBe(403);
    expect((await limited.patch(user, { name: 'A new name' })).status).toBe(200);
  });

  it('has the rights of a normal user without the scope admin', async () => {
    const { world } = tested;
    const { admin } = world;
    const [own, other] = [await world.addProject(), await world.addProject()];
    await world.join(own, admin);
    const limited = clientOf(await addKey(world, admin, { scopes: ['write'] }));
    const projects = async (api: ApiClient): Promise<string[]> =>
      (await api.get<{ projectKey: string }[]>('/projects?all=true')).body.map(
        ({ projectKey }) => projectKey,
      );
    expect(await projects(limited)).toContain(own.key);
    expect(await projects(limited)).not.toContain(other.key);
    expect((await limited.get(`/projects/${other.key}`)).status).toBe(404);
    const viewer = { roleType: RoleType.Viewer };
    expect(refusedScopes(await limited.patch(`/users/${person.id}`, viewer))).toBe('admin');
    expect(refusedScopes(await limited.post(path, { name: 'Theirs', scopes: ['read'] }))).toBe('admin');
    const full = clientOf(await addKey(world, admin, { scopes: ['write', 'admin'] }));
    expect(await projects(full)).toEqual(expect.arrayContaining([own.key, other.key]));
    expect((await full.patch(`/users/${person.id}`, viewer)).status).toBe(200);
  });

  it('makes no Administrators', async () => {
    const { world } = tested;
    const limited = clientOf(await addKey(world, world.admin, { scopes: ['write', 'admin'] }));
    const roleType = RoleType.Administrator;
    expect((await limited.patch(`/users/${person.id}`, { roleType })).status).toBe(403);
    const user = { userId: 'helper', password: 'a long password', name: 'H', mailAddress: 'h@example.com' };
    expect((await limited.post('/users', { ...user, roleType })).status).toBe(403);
    expect((await limited.post('/users', { ...user, roleType: RoleType.NormalUser })).status).toBe(201);
  });

  it('makes room for others once it has expired', async () => {
    const { world } = tested;
    await addKey(world, person, { expires: Date.now() + HOUR_MS });
    const names = async (): Promise<string[]> =>
      (await person.api.get<ApiKeyDto[]>(path)).body.map(({ name }) => name);
    await person.api.post(path, { name: 'Before' });
    expect(await names()).toEqual(['test', 'Limited', 'Before']);
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + HOUR_MS);
    try {
      await person.api.post(path, { name: 'After' });
    } finally {
      vi.restoreAllMocks();
    }
    expect(await names()).toEqual(['test', 'Before', 'After']);
  });

  it('does not count as the key of the last Administrator', async () => {
    const { world } = tested;
    const { admin } = world;
    await addKey(world, admin, { scopes: ['write', 'admin'] });
    await addKey(world, admin, { expires: Date.now() + HOUR_MS });
    const keys = (await admin.api.get<ApiKeyDto[]>(`/users/${admin.id}/apiKeys`)).body;
    const own = keys.find(({ scopes, expires }) => scopes === null && expires === null);
    const revoked = await admin.api.delete(`/users/${admin.id}/apiKeys/${own?.id}`);
    expect(revoked.status).toBe(400);
    const other = await world.addUser(RoleType.Administrator);
    const limited = clientOf(await addKey(world, other, { scopes: ['write', 'admin'] }));
    const [unlimited] = (await admin.api.get<ApiKeyDto[]>(`/users/${other.id}/apiKeys`)).body;
    expect((await admin.api.delete(`/users/${other.id}/apiKeys/${unlimited?.id}`)).status).toBe(200);
    for (const change of [{ roleType: RoleType.Viewer }, { enabled: false }]) {
      expect((await limited.patch(`/users/${admin.id}`, change)).status).toBe(400);
    }
    expect((await limited.delete(`/users/${admin.id}`)).status).toBe(400);
  });

  describe('by projects', () => {
    let own: ProjectFixture;
    let other: ProjectFixture;

    beforeEach(async () => {
      const { world } = tested;
      own = await world.addProject();
      other = await world.addProject();
      for (const project of [own, other]) await world.join(project, person);
    });

    it('is added and listed with them, and recorded in the audit log', async () => {
      const { world } = tested;
      const projectIds = [own.id, other.id];
      const { status, body } = await person.api.post<NewApiKeyDto>(path, { name: 'Two', projectIds });
      expect({ status, body }).toMatchObject({ status: 201, body: { projectIds } });
      const { key: _, ...shown } = body;
      expect((await person.api.get(path)).body).toContainEqual(shown);
      const { body: entries } = await world.admin.api.get<object[]>('/space/auditLog?count=1');
      const to = projectIds.join(' ');
      expect(entries).toMatchObject([{ changes: [{ field: 'userId' }, { field: 'projectIds', to }] }]);
    });

    it('is refused with 400 for projects that the user is not a member of, and for wrong ids', async () => {
      const { world } = tested;
      const foreign = await world.addProject();
      const tooMany = Array.from({ length: 51 }, (_, index) => index + 1);
      for (const projectIds of [[own.id, foreign.id], [999_999], [], [0], 'all', tooMany]) {
        const add = () => person.api.post(path, { name: 'Wrong', projectIds });
        await expectRefused(world, add, ['projectIds']);
      }
      // An Administrator sees every project, but the key has the rights of a member.
      const ofAdmin = `/users/${world.admin.id}/apiKeys`;
      const add = () => world.admin.api.post(ofAdmin, { name: 'Wrong', projectIds: [foreign.id] });
      await expectRefused(world, add, ['projectIds']);
    });

    it('is refused with 400 together with the scope admin', async () => {
      const limits = { scopes: ['read', 'admin'], projectIds: [own.id] };
      await expectRefused(tested.world, () => person.api.post(path, { name: 'Wrong', ...limits }), [
        'scopes',
      ]);
    });

    it('adds, sees and revokes only keys within its projects', async () => {
      const { world } = tested;
      const limited = clientOf(await addKey(world, person, { name: 'Own', projectIds: [own.id] }));
      await addKey(world, person, { projectIds: [own.id, other.id] });
      await expectRefused(world, () => limited.post(path, { name: 'Unlimited' }), ['projectIds']);
      const wider = { name: 'Wider', projectIds: [own.id, other.id] };
      await expectRefused(world, () => limited.post(path, wider), ['projectIds']);
      const same = await limited.post<ApiKeyDto>(path, { name: 'Same', projectIds: [own.id] });
      expect(same.status).toBe(201);
      const seen = (await limited.get<ApiKeyDto[]>(path)).body.map(({ name }) => name);
      expect(seen).toEqual(['Own', 'Same']);
      const statuses: number[] = [];
      for (const { id, name } of (await person.api.get<ApiKeyDto[]>(path)).body) {
        if (name !== 'Own') statuses.push((await limited.delete(`${path}/${id}`)).status);
      }
      // The unlimited key, the wider one, and the one with the same projects: those that it does not see do not exist.
      expect(statuses).toEqual([404, 404, 200]);
    });

    it('has no rights of an Administrator, whatever its scopes', async () => {
      const { world } = tested;
      const { admin } = world;
      await world.join(own, admin);
      const limited = clientOf(await addKey(world, admin, { projectIds: [own.id] }));
      expect((await limited.get(`/projects/${own.key}`)).status).toBe(200);
      expect((await limited.get(`/projects/${other.key}`)).status).toBe(404);
      const answer = await limited.get('/space/auditLog');
      expect(answer).toMatchObject({
        status: 403,
        body: { errors: [{ code: 5, message: expect.stringContaining('limited to projects') as string }] },
      });
    });

    it('ends with the membership, and reaches nothing once its projects are deleted', async () => {
      const { world } = tested;
      const limited = clientOf(await addKey(world, person, { projectIds: [own.id, other.id] }));
      const keys = async (): Promise<string[]> =>
        (await limited.get<{ projectKey: string }[]>('/projects')).body.map(({ projectKey }) => projectKey);
      expect(await keys()).toEqual([own.key, other.key]);
      await world.admin.api.delete(`/projects/${own.id}/users`, { userId: person.id });
      expect(await keys()).toEqual([other.key]);
      await world.admin.api.delete(`/projects/${other.id}`);
      expect(await keys()).toEqual([]);
      expect((await limited.get('/users/myself')).status).toBe(200);
    });

    it('shows only people of its projects', async () => {
      const { world } = tested;
      const [colleague, stranger] = [await world.addMember(own), await world.addMember(other)];
      const limited = clientOf(await addKey(world, person, { projectIds: [own.id] }));
      const statusOf = async (id: number): Promise<number> => (await limited.get(`/users/${id}`)).status;
      expect([await statusOf(colleague.id), await statusOf(stranger.id)]).toEqual([200, 404]);
      expect((await person.api.get(`/users/${stranger.id}`)).status).toBe(200);
      const administrator = await world.addMember(own, RoleType.NormalUser, true);
      const administers = clientOf(await addKey(world, administrator, { projectIds: [own.id] }));
      expect((await administers.get(`/projects/${own.id}/users`)).status).toBe(200);
      for (const list of ['/users', '/teams', `/users/${stranger.id}`]) {
        const statuses = [await administrator.api.get(list), await administers.get(list)];
        expect([list, ...statuses.map(({ status }) => status)]).toEqual([
          list,
          200,
          list.endsWith('s') ? 403 : 404,
        ]);
      }
    });

    it('attaches only its own uploads', async () => {
      const { world } = tested;
      const upload = await world.addUpload(person, 'of another key');
      const limited = clientOf(await addKey(world, person, { projectIds: [own.id] }));
      const { body } = await limited.upload<{ id: number }>('own');
      const attach = (id: number) =>
        limited.post(`/issues/${own.issueKey}/comments`, { content: 'See', attachmentId: [id] });
      const refused = await attach(upload);
      expect(refused.status).toBe(400);
      expect(refused.text).toContain(`Valid ids: ${body.id}.`);
      expect((await attach(body.id)).status).toBe(201);
    });

    it('changes neither the members nor the key of a project', async () => {
      const { world } = tested;
      const administrator = await world.addMember(own, RoleType.NormalUser, true);
      const stranger = await world.addMember(other);
      const limited = clientOf(await addKey(world, administrator, { projectIds: [own.id] }));
      const path = `/projects/${own.id}`;
      expect((await limited.post(`${path}/users`, { userId: stranger.id })).status).toBe(403);
      expect((await limited.delete(`${path}/users`, { userId: stranger.id })).status).toBe(403);
      expect((await limited.patch(path, { key: other.key })).status).toBe(403);
      expect((await limited.patch(path, { name: 'A new name' })).status).toBe(200);
    });

    it('marks only notifications and watchings of its projects', async () => {
      const { world } = tested;
      for (const project of [own, other]) {
        await person.api.post('/watchings', { issueIdOrKey: project.issueKey });
        await world.admin.api.post(`/issues/${project.issueKey}/comments`, {
          content: 'Look',
          notifiedUserId: [person.id],
        });
      }
      const limited = clientOf(await addKey(world, person, { projectIds: [own.id] }));
      const counts = async (api: ApiClient) => ({
        unread: (await api.get<{ count: number }>('/notifications/count?alreadyRead=false')).body.count,
        unchecked: (await api.get<{ count: number }>(`/users/${person.id}/watchings/count?alreadyRead=false`))
          .body.count,
      });
      const before = await counts(person.api);
      expect(await counts(limited)).toEqual({ unread: before.unread / 2, unchecked: 1 });
      await limited.post('/notifications/markAsRead');
      await limited.post(`/users/${person.id}/watchings/markAsChecked`);
      expect(await counts(limited)).toEqual({ unread: 0, unchecked: 0 });
      expect(await counts(person.api)).toEqual({ unread: before.unread / 2, unchecked: 1 });
    });
  });

  describe('of an agent', () => {
    it('adds only keys of the same agent, and changes no password', async () => {
      const { world } = tested;
      const agent = clientOf(await addKey(world, person, { agent: 'Helper' }));
      for (const name of [undefined, 'Somebody else']) {
        await expectRefused(world, () => agent.post(path, { name: 'Hidden', agent: name }), ['agent']);
      }
      const { body } = await agent.post<ApiKeyDto>(path, { name: 'Second', agent: 'Helper' });
      expect(body).toMatchObject({ agent: 'Helper' });
      expect((await agent.patch(`/users/${person.id}`, { password: 'a new password' })).status).toBe(403);
    });

    it.each(['', ' '.repeat(3), 'x'.repeat(101), 'a\nb\u0000'])(
      'is refused with 400 for the name %j',
      async (agent) => {
        await expectRefused(tested.world, () => person.api.post(path, { name: 'Wrong', agent }), ['agent']);
      },
    );
  });
});
