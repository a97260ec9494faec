import { ProjectsService } from '../../src/projects/projects.service';
import { missingScopes, type Scope, SCOPES } from '../../src/access/scopes';
import { type ApiResponse } from '../support/api';
import { documentedOperations } from '../support/conformance';
import { describeWithGit, WITH_GIT } from '../support/git';
import { addKey } from '../support/keys';
import {
  call,
  CASES_ENVIRONMENT,
  type Names,
  TESTED_OPERATIONS,
  type TestedOperation,
} from '../support/operations';
import { writesOf } from '../support/records';
import { isTried } from '../support/thoroughness';
import { type Environment, type ProjectFixture, useWorld } from '../support/world';

/** The scopes that each operation needs, by `operationId`. */
const NEEDED = new Map(
  documentedOperations.map(({ operation }) => [
    operation.operationId ?? '',
    (operation as { 'x-scopes'?: Scope[] })['x-scopes'],
  ]),
);

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
  ...[
    'addUser',
    'getUserAccount',
    'deleteUser',
    'getMailStatus',
    'sendTestLetter',
    'listAuditLog',
    'getProjectDiskUsage',
    'getSpaceDiskUsage',
  ],
  ...['updateSpaceIcon', 'deleteSpaceIcon', 'updateSpaceNotification'],
  'addPasswordLink',
  ...['listInvitations', 'addInvitations', 'deleteInvitation'],
  ...['listIdentityProviders', 'addIdentityProvider', 'getIdentityProvider'],
  ...['updateIdentityProvider', 'deleteIdentityProvider'],
  ...['listImports', 'addImport', 'getImport', 'resumeImport', 'cancelImport', 'mergeUser'],
  ...['importIssue', 'importIssueUpdate', 'importIssueAttachmentDeletion', 'importWiki'],
];

/** The operations that no key with limits may call. */
const ONLY_UNLIMITED = [
  ...['addPasswordLink', 'deleteSecondFactors', 'deletePasskey', 'deleteIdentity'],
  ...['addIdentityProvider', 'updateIdentityProvider', 'deleteIdentityProvider'],
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

  describe.each(operations.filter((_operation, index) => isTried(index)))('$id', (operation) => {
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
      const isRefused = ONLY_UNLIMITED.includes(operation.id);
      const success = isRefused ? '403 5  no challenge' : String(operation.status);
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
      for (const scope of needed) {
        const missing = missingScopes(new Set([scope]), needed);
        if (missing.length > 0) expect(await attempt([scope])).toBe(refusal(missing));
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
