import { ProjectsService } from '../../src/projects/projects.service';
import { RoleType } from '../../src/access/role-type';
import { ApiClient, type ApiResponse } from '../support/api';
import { describeWithGit, WITH_GIT } from '../support/git';
import { addKey } from '../support/keys';
import {
  call,
  CASES_ENVIRONMENT,
  type Names,
  ROLES,
  TESTED_OPERATIONS,
  type TestedOperation,
} from '../support/operations';
import {
  type Cell,
  cellsOf,
  expectedOutcome,
  FORBIDDEN,
  nameOf,
  NOT_FOUND,
  outcomeOf,
} from '../support/operations/expected-access';
import { writesOf } from '../support/records';
import { isTried } from '../support/thoroughness';
import { type Environment, type Person, type ProjectFixture, useWorld } from '../support/world';

const INVALID = '400 code 7';

/** The operations that concern more than projects. */
const BEYOND_PROJECTS = [
  ...['updateUser', 'updateUserIcon', 'deleteUserIcon', 'listUsers', 'listTeams'],
  ...['listSessions', 'deleteSession', 'deleteSessions', 'addPasswordLink'],
  ...['getSecondFactors', 'deleteSecondFactors', 'deletePasskey', 'listIdentities', 'deleteIdentity'],
  ...['getMailSettings', 'updateMailSettings', 'deleteMailPause'],
];

/** The operations that choose among the people of the space. */
const ON_MEMBERS = ['addProjectUser', 'deleteProjectUser', 'addProjectTeam', 'deleteProjectTeam'];

/** The operations whose case names another, new project in the body. */
const NAMING_ANOTHER = [
  ...['addIssue', 'addWiki', 'addDocument', 'addStar', 'addWatching'],
  ...['addRecentlyViewedIssue', 'addRecentlyViewedWiki'],
];

/** The operations that attach files, which the same key must have uploaded. */
const WITH_UPLOADS = ['attachFilesToDocument', 'attachFilesToWiki'];

/** The operations on people who belong only to the project inside. */
const OF_PEOPLE_INSIDE = [
  ...['getTeam', 'updateTeam', 'deleteTeam', 'getTeamIcon', 'updateTeamIcon', 'deleteTeamIcon'],
  'deleteUser',
];

/** Whether a key reaches the project that an operation names. */
type Reach = 'inside' | 'outside';

/** Returns the outcome of a request with a key that is limited to a project to which the caller belongs. */
function expectedWithKey(operation: TestedOperation, cell: Cell, reach: Reach): string {
  const { id, scope } = operation;
  const role = cell.role === RoleType.Administrator ? RoleType.NormalUser : cell.role;
  const unlimited = expectedOutcome(operation, { ...cell, role });
  // Refused before the project is looked up.
  if (ON_MEMBERS.includes(id)) return FORBIDDEN;
  if (unlimited === NOT_FOUND) return NOT_FOUND;
  if (BEYOND_PROJECTS.includes(id)) return FORBIDDEN;
  // The key to revoke reaches all projects.
  if (id === 'deleteApiKey') return cell.isOwner ? NOT_FOUND : FORBIDDEN;
  if (scope === 'project' && reach === 'outside') return NOT_FOUND;
  // What these cases create belongs to another project, or to none.
  if (scope === 'personal') return NOT_FOUND;
  if (NAMING_ANOTHER.includes(id) && unlimited !== FORBIDDEN) return INVALID;
  if (reach === 'outside' && OF_PEOPLE_INSIDE.includes(id)) return NOT_FOUND;
  return unlimited;
}

function testReach(environment: Environment, operations: readonly TestedOperation[]): void {
  const tested = useWorld({ ...environment, MAX_API_KEYS: '1000' });
  const people = new Map<string, Person>();
  const keys = new Map<string, string>();
  let elsewhere: ProjectFixture;

  beforeAll(async () => {
    const { world } = tested;
    await world.stopDeliveries();
    for (const role of ROLES) {
      for (const membership of ['member', 'project administrator'] as const) {
        people.set(`${role} ${membership}`, await world.addUser(role));
      }
    }
    elsewhere = await addProject();
  });

  const personOf = ({ role, membership }: Pick<Cell, 'role' | 'membership'>): Person =>
    people.get(`${role} ${membership}`) as Person;

  /** Returns a person's key that is limited to projects. */
  async function keyOf(person: Person, projectIds: number[]): Promise<string> {
    const name = `${person.id} ${projectIds.join(' ')}`;
    const key = keys.get(name) ?? (await addKey(tested.world, person, { projectIds }));
    keys.set(name, key);
    return key;
  }

  /** Adds a project to which everyone belongs. */
  async function addProject(): Promise<ProjectFixture> {
    const { world } = tested;
    const project = await world.addProject();
    await world.join(project, world.admin);
    await world.write(async (manager) => {
      for (const [name, { id }] of people) {
        const administers = name.endsWith('administrator');
        await world.service(ProjectsService).addMember(manager, project.id, id, administers);
      }
    });
    return project;
  }

  describe.each(operations.map((operation, index) => ({ ...operation, index })))('$id', (operation) => {
    const roles = ROLES.filter((_role, index) => isTried(index + operation.index));
    let project: ProjectFixture;
    const targets = new Map<number, Names>();

    beforeAll(async () => {
      project = await addProject();
    });

    async function targetOf(owner: Person): Promise<Names> {
      const target = targets.get(owner.id) ?? (await operation.names?.(tested.world, project, owner)) ?? {};
      targets.set(owner.id, target);
      return target;
    }

    /** Sends a request that is accepted from the person without limits, with a key that is limited to a project. */
    async function attempt(person: Person, names: Names, reach: Reach): Promise<string> {
      const { world } = tested;
      const projectIds = [reach === 'inside' ? project.id : elsewhere.id];
      const key = await keyOf(person, projectIds);
      const uploader = { ...person, key, api: new ApiClient(world.server.baseUrl, key) };
      const author = WITH_UPLOADS.includes(operation.id) ? uploader : person;
      const accepted = await operation.body?.(world, author, project, names);
      const body = operation.id === 'addApiKey' ? { ...accepted, projectIds } : accepted;
      let answer!: ApiResponse;
      const writes = await writesOf(world, async () => {
        answer = await call(world, operation, key, names, { body });
      });
      if (answer.status < 400 && operation.method !== 'GET') {
        targets.clear();
        if (operation.freshProject) project = await addProject();
      }
      const outcome = outcomeOf(answer, writes);
      return outcome.startsWith(INVALID) && writes.length === 0 ? INVALID : outcome;
    }

    it.each(roles.map((role) => ({ role, who: RoleType[role] })))(
      'grants $who the rights of a member inside the projects, and none outside',
      async ({ role }) => {
        const outcomes: Record<string, string> = {};
        const expected: Record<string, string> = {};
        for (const cell of cellsOf(operation, role)) {
          if (cell.membership === 'none') continue;
          for (const reach of ['inside', 'outside'] as const) {
            const person = personOf(cell);
            const target = await targetOf(cell.isOwner ? person : tested.world.admin);
            const name = `${nameOf(operation, cell)}, ${reach}`;
            outcomes[name] = await attempt(person, target, reach);
            expected[name] = expectedWithKey(operation, cell, reach);
          }
        }
        expect(outcomes).toEqual(expected);
      },
    );
  });
}

describe('a key limited to projects', () =>
  testReach(
    CASES_ENVIRONMENT,
    TESTED_OPERATIONS.filter(({ withGit, scope }) => !withGit && scope !== 'public'),
  ));

describeWithGit('a key limited to projects, and git operations', () =>
  testReach(
    { ...CASES_ENVIRONMENT, ...WITH_GIT },
    TESTED_OPERATIONS.filter(({ withGit, scope }) => withGit && scope !== 'public'),
  ),
);
