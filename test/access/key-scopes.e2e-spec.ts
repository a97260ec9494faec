import { RoleType } from '../../src/access/role-type';
import { ProjectsService } from '../../src/projects/projects.service';
import { missingScopes, type Scope, SCOPES } from '../../src/access/scopes';
import { generateApiKey } from '../../src/users/api-key';
import { ApiKeysService, type NewApiKey } from '../../src/users/api-keys.service';
import { type ApiKeyDto, type NewApiKeyDto } from '../../src/users/dto/api-key.dto';
import { ApiClient, type ApiResponse } from '../support/api';
import { documentedOperations } from '../support/conformance';
import { describeWithGit, WITH_GIT } from '../support/git';
import {
  call,
  CASES_ENVIRONMENT,
  type Names,
  TESTED_OPERATIONS,
  type TestedOperation,
} from '../support/operations';
import { writesOf } from '../support/records';
import { expectRefused } from '../support/refusals';
import { aTimestamp } from '../support/shapes';
import { type Environment, type Person, type ProjectFixture, useWorld, type World } from '../support/world';

const HOUR_MS = 3_600_000;

/** The scopes that each operation needs, by `operationId`. */
const NEEDED = new Map(
  documentedOperations.map(({ operation }) => [
    operation.operationId ?? '',
    (operation as { 'x-scopes'?: Scope[] })['x-scopes'],
  ]),
);

/** Adds a key for a person. */
async function addKey(world: World, { id }: Person, options: Partial<NewApiKey>): Promise<string> {
  const key = generateApiKey();
  await world.write((manager) =>
    world.service(ApiKeysService).add(manager, id, key, { name: 'Limited', ...options }),
  );
  return key;
}

/** Returns the status of a response, and the scopes that it names. */
function outcomeOf({ status, body, headers }: ApiResponse): string {
  if (status !== 403) return String(status);
  const { errors } = body as { errors: { code: number; moreInfo: string }[] };
  const challenge = headers.get('www-authenticate') ?? 'no challenge';
  return `403 ${errors.map(({ code, moreInfo }) => `${code} ${moreInfo}`).join()} ${challenge}`;
}

/** The operations that also need the scope `admin`, in addition to the scopes of their area. */
const ADMINISTRATION = [
  ...['addProject', 'deleteProject', 'addProjectAdministrator', 'deleteProjectAdministrator'],
  ...['addTeam', 'getTeam', 'updateTeam', 'deleteTeam', 'updateTeamIcon', 'deleteTeamIcon'],
  ...['addUser', 'getUserAccount', 'deleteUser', 'listAuditLog', 'getProjectDiskUsage', 'getSpaceDiskUsage'],
  ...['updateSpaceIcon', 'deleteSpaceIcon', 'updateSpaceNotification'],
];

const refusal = (scopes: readonly string[]): string =>
  `403 5 ${scopes.join(', ')} Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`;

function testScopes(environment: Environment, operations: readonly TestedOperation[]): void {
  // Each attempt adds a key of the Administrator.
  const tested = useWorld({ ...environment, MAX_API_KEYS: '1000' });
  let project: ProjectFixture;

  beforeAll(async () => {
    const { world } = tested;
    await world.stopDeliveries();
    project = await addProject();
  });

  /** Adds a project that the Administrator administers even without the scope `admin`. */
  async function addProject(): Promise<ProjectFixture> {
    const { world } = tested;
    const added = await world.addProject();
    await world.write((manager) =>
      world.service(ProjectsService).addMember(manager, added.id, world.admin.id, true),
    );
    return added;
  }

  describe.each(operations)('$id', (operation) => {
    const needed = NEEDED.get(operation.id) ?? [];
    const isRead = needed.every((scope) => !scope.startsWith('write'));

    /** Sends a request that is accepted from the Administrator, with a key that has these scopes. */
    async function attempt(scopes: readonly Scope[], names?: Names): Promise<string> {
      const { world } = tested;
      const { admin } = world;
      if (operation.freshProject) project = await addProject();
      const target = names ?? (await operation.names?.(world, project, admin)) ?? {};
      const accepted = await operation.body?.(world, admin, project, target);
      // A key with scopes adds only keys with scopes of its own.
      const body = operation.id === 'addApiKey' ? { ...accepted, scopes: scopes.slice(0, 1) } : accepted;
      const key = await addKey(world, admin, { scopes });
      let answer!: ApiResponse;
      const writes = await writesOf(world, async () => {
        answer = await call(world, operation, key, target, { body });
      });
      return [outcomeOf(answer), ...(answer.status === 403 ? writes : [])].join(' wrote ');
    }

    it('admits a key with its scopes, or with wider ones', async () => {
      const success = String(operation.status);
      expect(await attempt(needed.length > 0 ? needed : ['read:wikis'])).toBe(success);
      expect(await attempt(['write', 'admin'])).toBe(success);
      if (isRead) expect(await attempt(['read', 'admin'])).toBe(success);
    });

    if (needed.length === 0) return;

    it('refuses any other key, naming every scope that it lacks, and writes nothing', async () => {
      const others = SCOPES.filter(
        (scope) => missingScopes(new Set([scope]), needed).length === needed.length,
      );
      expect(await attempt(others)).toBe(refusal(needed));
      for (const scope of needed.length > 1 ? needed : []) {
        expect(await attempt([scope])).toBe(refusal(needed.filter((one) => one !== scope)));
      }
      if (!isRead) {
        const missing = missingScopes(new Set(['read', 'admin']), needed);
        expect(await attempt(['read', 'admin'])).toBe(refusal(missing));
      }
    });

    it('refuses it alike for missing resources', async () => {
      const names = await operation.names?.(tested.world, project, tested.world.admin);
      const missing = Object.fromEntries(Object.keys(names ?? {}).map((name) => [name, '999999']));
      const unrelated = needed[0] === 'read:wikis' ? 'read:issues' : 'read:wikis';
      expect(await attempt([unrelated], missing)).toBe(refusal(needed));
    });
  });
}

describe('the derivation of scopes', () => {
  const protectedOperations = documentedOperations.filter(({ operation }) => operation.security?.length);

  it('follows the method of the operation, except for the read of a secret', () => {
    const deviating = protectedOperations.filter(({ method, operation }) => {
      const [first = 'none'] = NEEDED.get(operation.operationId ?? '') ?? [];
      return !first.startsWith(method === 'get' ? 'read:' : 'write:');
    });
    const ids = deviating.map(({ operation }) => operation.operationId);
    expect(ids.sort()).toEqual(['getMyself', 'getRateLimit', 'getWebhookSecret']);
  });

  it('includes admin for what only Administrators may do', () => {
    const ids = [...NEEDED].filter(([, scopes]) => scopes?.includes('admin')).map(([id]) => id);
    expect(ids.sort()).toEqual([...ADMINISTRATION].sort());
  });
});

describe('the scopes of operations', () =>
  testScopes(
    CASES_ENVIRONMENT,
    TESTED_OPERATIONS.filter(({ withGit, scope }) => !withGit && scope !== 'public'),
  ));

describeWithGit('the scopes of git operations', () =>
  testScopes(
    { ...CASES_ENVIRONMENT, ...WITH_GIT },
    TESTED_OPERATIONS.filter(({ withGit, scope }) => withGit && scope !== 'public'),
  ),
);

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

  it.each<[string, () => Partial<NewApiKey>]>([
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
    expect(outcomeOf(await limited.patch(`/users/${person.id}`, viewer))).toBe(refusal(['admin']));
    expect(outcomeOf(await limited.post(path, { name: 'Theirs', scopes: ['read'] }))).toBe(
      refusal(['admin']),
    );
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
});

describeWithGit('an API key as the password of git', () => {
  const tested = useWorld(WITH_GIT);

  it('needs the scopes of the area git', async () => {
    const { world } = tested;
    const project = await world.addProject();
    await world.join(project, world.admin);
    const { userId } = (await world.admin.api.get<{ userId: string }>('/users/myself')).body;
    const origin = new URL(world.server.baseUrl).origin;
    const repository = `${origin}/git/${project.key}/${project.repositoryName}`;
    const statusOf = async (scope: Scope, method: string, address: string): Promise<number> => {
      const key = await addKey(world, world.admin, { scopes: [scope] });
      const authorization = `Basic ${Buffer.from(`${userId}:${key}`).toString('base64')}`;
      const { status } = await fetch(`${repository}/${address}`, { method, headers: { authorization } });
      return status;
    };
    const [FETCH, PUSH] = ['info/refs?service=git-upload-pack', 'git-receive-pack'];
    expect(await statusOf('read:git', 'GET', FETCH)).toBe(200);
    expect(await statusOf('write', 'GET', FETCH)).toBe(200);
    expect(await statusOf('write:issues', 'GET', FETCH)).toBe(403);
    expect(await statusOf('read', 'POST', PUSH)).toBe(403);
    // Refused for its missing body alone.
    expect(await statusOf('write:git', 'POST', PUSH)).toBe(400);
    expect(await statusOf('read:git', 'POST', 'git-upload-pack')).toBe(400);
    expect(await statusOf('read:issues', 'POST', 'git-upload-pack')).toBe(403);
  });
});
