import { ProjectsService } from '../../src/projects/projects.service';
import { RoleType } from '../../src/access/role-type';
import { type ApiResponse } from '../support/api';
import { describeWithGit, WITH_GIT } from '../support/git';
import {
  asParameters,
  byId,
  call,
  CASES_ENVIRONMENT,
  type CallContent,
  missingVariants,
  mixedVariants,
  type Names,
  ROLES,
  shown,
  TESTED_OPERATIONS,
  type TestedOperation,
} from '../support/operations';
import {
  type Cell,
  cellsOf,
  expectedOutcome,
  FORBIDDEN,
  MEMBERSHIPS,
  nameOf,
  NOT_FOUND,
  outcomeOf,
} from '../support/operations/expected-access';
import { writesOf } from '../support/records';
import { isTried } from '../support/thoroughness';
import { type Environment, type Person, type ProjectFixture, useWorld } from '../support/world';

/** The reads that reject an unknown parameter; all others ignore it. */
const STRICT_READS = [
  'listIssues',
  'countIssues',
  'listSpaceActivities',
  'listProjectActivities',
  'listUserActivities',
];

/** Returns a status and its subjects: the fields or, where the error names none, its message. */
function refusedFields({ status, body }: ApiResponse): string {
  const { errors = [] } = (body ?? {}) as { errors?: { message: string; moreInfo: string }[] };
  return [status, ...errors.map(({ message, moreInfo }) => moreInfo || message)].join(' ');
}

/** Returns a body with an extra field, which no operation accepts. */
function withNonsense(body: object = {}): object {
  if (!(body instanceof FormData)) return { ...body, nonsense: true };
  body.set('nonsense', '1');
  return body;
}

function testRights(environment: Environment, operations: readonly TestedOperation[]): void {
  const tested = useWorld(environment);
  const people = new Map<string, Person>();
  let otherProject: ProjectFixture;

  beforeAll(async () => {
    const { world } = tested;
    await world.stopDeliveries();
    otherProject = await world.addProject();
    for (const role of ROLES) {
      for (const membership of MEMBERSHIPS) {
        people.set(`${role} ${membership}`, await world.addUser(role));
      }
    }
  });

  const personOf = ({ role, membership }: Pick<Cell, 'role' | 'membership'>): Person =>
    people.get(`${role} ${membership}`) as Person;

  /** Adds a project to which every person belongs according to their membership. */
  async function addProject(): Promise<ProjectFixture> {
    const { world } = tested;
    const project = await world.addProject();
    // Shares the project with the guests among its members.
    await world.join(project, world.admin);
    await world.write(async (manager) => {
      for (const role of ROLES) {
        for (const membership of ['member', 'project administrator'] as const) {
          await world
            .service(ProjectsService)
            .addMember(
              manager,
              project.id,
              personOf({ role, membership }).id,
              membership === 'project administrator',
            );
        }
      }
    });
    return project;
  }

  describe.each(operations.map((operation, index) => ({ ...operation, index })))('$id', (operation) => {
    const roles = ROLES.filter((_role, index) => isTried(index + operation.index));
    let project: ProjectFixture;
    /** Unused targets by id of the owner. */
    const targets = new Map<number, Names>();

    beforeAll(async () => {
      project = await addProject();
    });

    const newTarget = async (owner: Person, place = project): Promise<Names> =>
      (await operation.names?.(tested.world, place, owner)) ?? {};

    async function targetOf(owner: Person): Promise<Names> {
      const target = targets.get(owner.id) ?? (await newTarget(owner));
      targets.set(owner.id, target);
      return target;
    }

    /** Sends a request with a body that is accepted from the person. */
    async function attempt(person: Person, names: Names): Promise<string> {
      const { world } = tested;
      const body = await operation.body?.(world, person, project, names);
      let answer!: ApiResponse;
      const writes = await writesOf(world, async () => {
        answer = await call(world, operation, person.key, names, { body });
      });
      if (answer.status < 400 && operation.method !== 'GET') await useUp();
      return outcomeOf(answer, writes);
    }

    async function useUp(): Promise<void> {
      targets.clear();
      if (operation.freshProject) project = await addProject();
    }

    it.each(roles.map((role) => ({ role, who: RoleType[role] })))(
      'grants $who exactly the expected access',
      async ({ role }) => {
        const outcomes: Record<string, string> = {};
        const expected: Record<string, string> = {};
        for (const cell of cellsOf(operation, role)) {
          const person = personOf(cell);
          const target = await targetOf(cell.isOwner ? person : tested.world.admin);
          const name = nameOf(operation, cell);
          outcomes[name] = await attempt(person, target);
          expected[name] = expectedOutcome(operation, cell);
        }
        expect(outcomes).toEqual(expected);
      },
    );

    /** Content that no operation accepts; most reads ignore the query. */
    const NONSENSE: CallContent = {
      body: operation.takesBody || operation.method === 'GET' ? { nonsense: true } : undefined,
      query: { nonsense: '1' },
    };

    it('refuses unknown fields and parameters, except parameters of most reads', async () => {
      const { world } = tested;
      const key = operation.scope === 'public' ? undefined : world.admin.key;
      const names = await newTarget(world.admin);
      const body = await operation.body?.(world, world.admin, project, names);
      const refusal = async (content: CallContent): Promise<string> =>
        refusedFields(await call(world, operation, key, names, content));
      const answered = await refusal({ body, query: { nonsense: '1' } });
      // No client sends a body with GET.
      if (operation.method === 'GET') {
        const isStrict = STRICT_READS.includes(operation.id);
        expect(answered).toBe(isStrict ? '400 error.unknownParameter : nonsense' : String(operation.status));
        return;
      }
      expect(answered).toBe('400 nonsense');
      const refused = operation.takesBody ? '400 nonsense' : '400 The operation takes no request body.';
      expect(await refusal({ body: withNonsense(body) })).toBe(refused);
    });

    if (operation.takesBody && !operation.takesFile) {
      it('takes its fields from the query string as well', async () => {
        const { world } = tested;
        const attemptWith = async (content: (body: object) => CallContent): Promise<string> => {
          const names = await newTarget(world.admin);
          const body = (await operation.body?.(world, world.admin, project, names)) ?? {};
          const answer = await call(world, operation, world.admin.key, names, content(body));
          if (answer.status < 400) await useUp();
          return refusedFields(answer);
        };
        const success = String(operation.status);
        expect(await attemptWith((body) => ({ query: asParameters(body) }))).toBe(success);
        expect(await attemptWith((body) => ({ body, query: asParameters(body) }))).toBe(success);
      });
    }

    if (operation.scope === 'public') {
      it('answers without a credential', async () => {
        expect((await call(tested.world, operation, undefined, {})).status).toBe(operation.status);
      });
      return;
    }

    it('answers 404 to resources that do not exist or belong elsewhere', async () => {
      const { admin } = tested.world;
      const somebody = personOf({ role: RoleType.NormalUser, membership: 'member' });
      const target = await newTarget(admin);
      const others = [
        await newTarget(admin),
        await newTarget(somebody),
        await newTarget(admin, otherProject),
      ];
      const mixed = others.flatMap((other) => [
        ...mixedVariants(target, other),
        ...mixedVariants(byId(target), byId(other)),
      ]);
      const wrong = new Map([...missingVariants(target), ...mixed].map((names) => [shown(names), names]));
      const outcomes = new Map<string, string>();
      for (const [text, names] of wrong) outcomes.set(text, await attempt(admin, names));
      expect(outcomes).toEqual(new Map([...wrong.keys()].map((text) => [text, NOT_FOUND])));
    });

    if (operation.scope !== 'space') {
      it('answers 404 identically for invisible and missing resources', async () => {
        const { world } = tested;
        const role = operation.scope === 'person' ? RoleType.GuestReporter : RoleType.NormalUser;
        const stranger = personOf({ role, membership: 'none' });
        const target = await newTarget(world.admin);
        const missing = missingVariants(target);
        // The owner of a personal item is visible, and comes before it in the path.
        const alike = operation.scope === 'personal' ? missing.slice(-1) : [byId(target), ...missing];
        const answers: Record<string, object> = {};
        for (const names of [target, ...alike]) {
          const { status, text, headers } = await call(world, operation, stranger.key, names, NONSENSE);
          const comparable = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
          answers[shown(names)] = { status, text, comparable };
        }
        const [first] = Object.values(answers);
        expect(first).toMatchObject({ status: 404 });
        expect(answers).toEqual(Object.fromEntries(Object.keys(answers).map((names) => [names, first])));
      });
    }

    it('checks the credential, then existence, then the right, then the content', async () => {
      const { world } = tested;
      const target = await newTarget(world.admin);
      const [missing] = missingVariants(target);
      const statusFor = async (person: Person | undefined, names: Names): Promise<number> =>
        (await call(world, operation, person?.key, names, NONSENSE)).status;
      const refused = ROLES.flatMap((role) => cellsOf(operation, role)).find(
        (cell) => !cell.isOwner && expectedOutcome(operation, cell) === FORBIDDEN,
      );
      expect(await statusFor(undefined, target)).toBe(401);
      if (missing) expect(await statusFor(undefined, missing)).toBe(401);
      if (missing && refused) expect(await statusFor(personOf(refused), missing)).toBe(404);
      if (refused) expect(await statusFor(personOf(refused), target)).toBe(403);
      if (missing) expect(await statusFor(world.admin, missing)).toBe(404);
      expect(await statusFor(world.admin, target)).toBe(400);
    });
  });
}

describe('access to operations', () =>
  testRights(
    CASES_ENVIRONMENT,
    TESTED_OPERATIONS.filter(({ withGit }) => !withGit),
  ));

describeWithGit('access to git operations', () =>
  testRights(
    { ...CASES_ENVIRONMENT, ...WITH_GIT },
    TESTED_OPERATIONS.filter(({ withGit }) => withGit),
  ),
);
