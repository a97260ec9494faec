import { RoleType } from '../src/users/role-type';
import { everythingStored } from './support/records';
import { type OperationCase, PROJECT_OPERATIONS, type Target } from './support/operations';
import { errorShape } from './support/shapes';
import { type Person, type ProjectFixture, World } from './support/world';

const { Administrator, NormalUser, Reporter, Viewer, GuestReporter, GuestViewer } = RoleType;
const ROLES = [Administrator, NormalUser, Reporter, Viewer, GuestReporter, GuestViewer];
const MEMBERSHIPS = ['none', 'member', 'project administrator'] as const;
type Membership = (typeof MEMBERSHIPS)[number];

const DEVELOPERS = [Administrator, NormalUser];
const CONTRIBUTORS = [...DEVELOPERS, Reporter, GuestReporter];

interface Right {
  roles: RoleType[];
  projectAdministrators?: true;
  authorOnly?: true;
}

const PROJECT_ADMINISTRATORS: Right = { roles: [Administrator], projectAdministrators: true };

/** Rights by operation (decisions, section 2), for somebody who may see the project. */
const RIGHTS: Record<string, Right> = {
  listPullRequestComments: { roles: DEVELOPERS },
  updatePullRequestComment: { roles: DEVELOPERS, authorOnly: true },
  addIssueComment: { roles: CONTRIBUTORS },
  addIssueCommentNotifications: { roles: CONTRIBUTORS, authorOnly: true },
  addIssueType: { roles: DEVELOPERS },
  addStatus: PROJECT_ADMINISTRATORS,
  attachFilesToWiki: { roles: DEVELOPERS },
  addWebhook: PROJECT_ADMINISTRATORS,
  getWebhookSecret: PROJECT_ADMINISTRATORS,
  rotateWebhookSecret: PROJECT_ADMINISTRATORS,
  testWebhook: PROJECT_ADMINISTRATORS,
  enableWebhook: PROJECT_ADMINISTRATORS,
  listWebhookDeliveries: PROJECT_ADMINISTRATORS,
  redeliverWebhookDeliveries: PROJECT_ADMINISTRATORS,
  getWebhookDelivery: PROJECT_ADMINISTRATORS,
  redeliverWebhookDelivery: PROJECT_ADMINISTRATORS,
};

describe('who may do what', () => {
  let world: World;
  let project: ProjectFixture;
  let webhookId: number;
  let deliveryId: number;
  const people = new Map<string, Person>();

  beforeAll(async () => {
    world = await World.start();
    project = await world.addProject();
    for (const role of ROLES) {
      for (const membership of MEMBERSHIPS) {
        const person = await world.addUser(role);
        if (membership !== 'none') await world.join(project, person, membership === 'project administrator');
        people.set(`${role} ${membership}`, person);
      }
    }
    // A name that never resolves: nothing is sent anywhere.
    const hook = { name: 'Chat', hookUrl: 'https://hooks.invalid/' };
    const hooks = `/projects/${project.key}/webhooks`;
    webhookId = (await world.admin.api.post(hooks, hook)).body.id;
    deliveryId = (await world.admin.api.post(`${hooks}/${webhookId}/test`, {})).body.id;
  });
  afterAll(() => world.stop());

  const personOf = (role: RoleType, membership: Membership): Person =>
    people.get(`${role} ${membership}`) as Person;

  /** What the operation's path names; the comment is written by the author. */
  const targetOf = async (operation: OperationCase, author: Person): Promise<Target> => ({
    commentId: operation.thread ? await world.addComment(operation.thread(project), author) : 0,
    webhookId,
    deliveryId,
  });

  const cells = PROJECT_OPERATIONS.flatMap((operation) =>
    ROLES.flatMap((role) =>
      MEMBERSHIPS.flatMap((membership) =>
        (operation.thread ? [true, false] : [true]).map((isAuthor) => ({
          operation,
          name: operation.name,
          role,
          membership,
          isAuthor,
          who: `${RoleType[role]}, ${membership}${operation.thread ? (isAuthor ? ', author' : ', not author') : ''}`,
        })),
      ),
    ),
  );

  const expectedStatus = ({ operation, role, membership, isAuthor }: (typeof cells)[number]): number => {
    if (membership === 'none' && role !== Administrator) return 404;
    const { roles, projectAdministrators, authorOnly } = RIGHTS[operation.name]!;
    const hasRight =
      roles.includes(role) || (projectAdministrators && membership === 'project administrator');
    return hasRight && (isAuthor || !authorOnly) ? operation.status : 403;
  };

  it.each(cells)('$name as $who', async (cell) => {
    const person = personOf(cell.role, cell.membership);
    const { operation } = cell;
    const path = operation.path(project, await targetOf(operation, cell.isAuthor ? person : world.admin));
    const body = await operation.body?.(world, person);
    const before = await everythingStored(world);
    const answer = await person.api.send(operation.method, path, body);
    const expected = expectedStatus(cell);
    expect(answer.status).toBe(expected);
    if (expected < 400) return;
    expect(answer.body).toEqual(errorShape(expected === 403 ? 5 : 6));
    const after = await everythingStored(world);
    // Deliveries go their own way meanwhile.
    for (const table of Object.keys(after).filter((name) => !name.startsWith('webhook_'))) {
      expect(after[table]).toEqual(before[table]);
    }
  });

  it.each(ROLES.map((role) => ({ role, who: RoleType[role] })))(
    'uploads a file as $who, member of nothing',
    async ({ role }) => {
      const answer = await personOf(role, 'none').api.upload('content');
      expect(answer.status).toBe(CONTRIBUTORS.includes(role) ? 200 : 403);
    },
  );

  it.each(ROLES.map((role) => ({ role, who: RoleType[role] })))(
    'shows $who who they are',
    async ({ role }) => {
      const person = personOf(role, 'none');
      const { status, body } = await person.api.get('/users/myself');
      expect(status).toBe(200);
      expect(body.id).toBe(person.id);
    },
  );

  describe.each(PROJECT_OPERATIONS)('$name in a project that one may not see', (operation) => {
    it('answers the same bytes as in one that does not exist', async () => {
      const stranger = personOf(NormalUser, 'none');
      const target = await targetOf(operation, world.admin);
      const missing: ProjectFixture = {
        ...project,
        key: 'NOSUCH',
        issueKey: 'NOSUCH-1',
        repositoryName: 'nosuch',
        wikiId: 999_999,
      };
      const byId: ProjectFixture = { ...project, key: String(project.id), issueKey: String(project.issueId) };
      const missingById: ProjectFixture = { ...missing, key: '999999', issueKey: '999999' };
      const answers: { status: number; text: string; comparable: [string, string][] }[] = [];
      for (const fixture of [project, missing, byId, missingById]) {
        const { status, text, headers } = await stranger.api.send(
          operation.method,
          operation.path(fixture, target),
          // The body is not looked at before the path.
          operation.body && { nonsense: true },
        );
        const comparable = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
        answers.push({ status, text, comparable });
      }
      expect(answers[0]?.status).toBe(404);
      expect(answers).toEqual(answers.map(() => answers[0]));
    });

    it('asks for the credential first, then for the path, then for the right, then for the body', async () => {
      const target = await targetOf(operation, world.admin);
      const path = operation.path(project, target);
      const nowhere = { ...project, key: 'NOSUCH', issueKey: 'NOSUCH-1', wikiId: 999_999 };
      const missing = operation.path(nowhere, target);
      const call = async (person: Person | undefined, at: string): Promise<number> => {
        const api = person?.api ?? world.anonymous;
        const body = operation.body && { nonsense: true };
        return (await api.send(operation.method, `${at}?nonsense=1`, body)).status;
      };
      expect(await call(undefined, missing)).toBe(401);
      expect(await call(undefined, path)).toBe(401);
      expect(await call(personOf(GuestViewer, 'member'), missing)).toBe(404);
      expect(await call(personOf(GuestViewer, 'member'), path)).toBe(403);
      expect(await call(world.admin, missing)).toBe(404);
      expect(await call(world.admin, path)).toBe(400);
    });
  });
});
