import { RoleType } from '../../../src/access/role-type';
import { type Person, type ProjectFixture, type World } from '../world';

const { Administrator, NormalUser, Reporter, Viewer, GuestReporter, GuestViewer } = RoleType;

export const ROLES = [Administrator, NormalUser, Reporter, Viewer, GuestReporter, GuestViewer] as const;

/** The settings that the cases require. */
export const CASES_ENVIRONMENT = { WEBHOOK_ALLOW: '127.0.0.0/8' };

/** Who may call an operation, among users who can see what it names (`docs/decisions/0003-access.md#rights`). */
export interface Right {
  roles: readonly RoleType[];
  /** Also administrators of the project, whatever their role. */
  projectAdministrators?: true;
  /** Of those, only Administrators and administrators of the project. */
  administratorOnly?: true;
  /** Of all these, only the owner. */
  ownerOnly?: true;
  /** In addition, the owner: with any role, or with one of these roles. */
  orOwner?: true | readonly RoleType[];
}

export const EVERYONE: Right = { roles: ROLES };
export const DEVELOPERS: Right = { roles: [Administrator, NormalUser] };
export const CONTRIBUTORS: Right = { roles: [Administrator, NormalUser, Reporter, GuestReporter] };
export const ADMINISTRATORS: Right = { roles: [Administrator] };
export const ADMINISTERING_DEVELOPERS: Right = { ...DEVELOPERS, administratorOnly: true };
export const PROJECT_ADMINISTRATORS: Right = { roles: [Administrator], projectAdministrators: true };

/** The value of a parameter; one with an id and a key or name is tried with either. */
export type Name = string | number | { id: number; key: string };
/** Values by parameter: those of the path, and those of the query that identify the project or its contents. */
export type Names = Readonly<Record<string, Name>>;

/** The properties of an operation that `openapi.json` does not contain, for tests that cover all operations. */
export interface OperationCase {
  right: Right;
  /**
   * The callers who get 404 whatever their rights: users outside the `project`, all but the owner (`personal`), guests who neither share a
   * project with the `person` or team nor administer one, or none, in the whole `space`. A `public` operation needs no credential.
   */
  scope: 'project' | 'space' | 'person' | 'personal' | 'public';
  /**
   * Returns the path parameters, created for each call if a success consumes them. The owner may have any role and belong to
   * no project, so creation bypasses the access rules.
   */
  names?: (world: World, project: ProjectFixture, owner: Person) => Names | Promise<Names>;
  /** Parameters of the query that identify nothing. */
  query?: Readonly<Record<string, string>>;
  /** Returns a body that is accepted from this person. */
  body?: (world: World, person: Person, project: ProjectFixture, names: Names) => object | Promise<object>;
  /** Each success needs its own project, because it deletes the project or fills it to a limit. */
  freshProject?: true;
  /** The operation concerns the contents of git: its tests need git, and its list does not come from the database. */
  withGit?: true;
  /** The list is always the same. */
  isFixedList?: true;
  /** For operations that return another kind of list. */
  list?: {
    /** Adds `count` items to the list, which differ in everything, so that no lookup can be shared. */
    fill: (world: World, project: ProjectFixture, count: number, names: Names) => Promise<unknown>;
  };
}

/** The cases of a feature, by `operationId`. */
export type OperationCases = Readonly<Record<string, OperationCase>>;

export const theProject = (_world: World, project: ProjectFixture): Names => ({ projectIdOrKey: project });

export const theIssue = (_world: World, { issueId, issueKey }: ProjectFixture): Names => ({
  issueIdOrKey: { id: issueId, key: issueKey },
});

export const theWikiPage = (_world: World, { wikiId }: ProjectFixture): Names => ({ wikiId });

/** Returns a new team of the project. */
export const aTeam = async (world: World, project: ProjectFixture): Promise<Names> => ({
  teamId: (await world.addTeam([], project)).id,
});

export const thePullRequest = (_world: World, project: ProjectFixture): Names => ({
  projectIdOrKey: project,
  repoIdOrName: { id: project.repositoryId, key: project.repositoryName },
  number: project.pullRequestNumber,
});

/** Runs work a number of times, sequentially. */
export async function times(count: number, work: (number: number) => Promise<unknown>): Promise<void> {
  for (let number = 1; number <= count; number++) await work(number);
}
