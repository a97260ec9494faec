import { RoleType } from '../../../src/access/role-type';
import { type Person, type ProjectFixture, type World } from '../world';

const { Administrator, NormalUser, Reporter, Viewer, GuestReporter, GuestViewer } = RoleType;

export const ROLES = [Administrator, NormalUser, Reporter, Viewer, GuestReporter, GuestViewer] as const;

/** The settings that the cases count on. */
export const CASES_ENVIRONMENT = { WEBHOOK_ALLOW: '127.0.0.0/8' };

/** Who may call an operation, of those who see what it names (`docs/decisions/0004-access.md`). */
export interface Right {
  roles: readonly RoleType[];
  /** Administrators of the project too, whatever their role. */
  projectAdministrators?: true;
  /** Of those, only Administrators and who administers the project. */
  administratorOnly?: true;
  /** Of all these, only the owner. */
  ownerOnly?: true;
  /** The owner besides all these, whatever their role, or in one of these roles. */
  orOwner?: true | readonly RoleType[];
}

export const EVERYONE: Right = { roles: ROLES };
export const DEVELOPERS: Right = { roles: [Administrator, NormalUser] };
export const CONTRIBUTORS: Right = { roles: [Administrator, NormalUser, Reporter, GuestReporter] };
export const ADMINISTRATORS: Right = { roles: [Administrator] };
export const ADMINISTERING_DEVELOPERS: Right = { ...DEVELOPERS, administratorOnly: true };
export const PROJECT_ADMINISTRATORS: Right = { roles: [Administrator], projectAdministrators: true };

/** What a parameter is given; what has an id and a key or name is tried by either. */
export type Name = string | number | { id: number; key: string };
/** By parameter: those of the path, and those of the query that name the project or what is in it. */
export type Names = Readonly<Record<string, Name>>;

/** What tests that go through all operations cannot read in `openapi.json`. */
export interface OperationCase {
  right: Right;
  /**
   * Who is told 404 whatever their rights: those who do not belong to the `project`, all but the owner (`personal`), or
   * nobody, in the whole `space`. What is `public` needs no credential.
   */
  scope: 'project' | 'space' | 'personal' | 'public';
  /**
   * What the path names, made new at each call where a success uses it up. The owner may have any role and belong to no
   * project, so it is made past the access rules.
   */
  names?: (world: World, project: ProjectFixture, owner: Person) => Names | Promise<Names>;
  /** Parameters of the query that name nothing. */
  query?: Readonly<Record<string, string>>;
  /** A body that is accepted from this person. */
  body?: (world: World, person: Person, project: ProjectFixture, names: Names) => object | Promise<object>;
  /** Each success takes a project of its own, because it ends the project or fills it to a limit. */
  freshProject?: true;
  /** It is about what git has: its tests need git, and its list is none of the database. */
  withGit?: true;
  /** Its list is always the same. */
  isFixedList?: true;
  /** For what answers another list. */
  list?: {
    /** Adds so many to the list, about each of which everything differs, so that nothing can be read once for all. */
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

export const thePullRequest = (_world: World, project: ProjectFixture): Names => ({
  projectIdOrKey: project,
  repoIdOrName: { id: project.repositoryId, key: project.repositoryName },
  number: project.pullRequestNumber,
});

/** Does something so many times, one after the other. */
export async function times(count: number, work: (number: number) => Promise<unknown>): Promise<void> {
  for (let number = 1; number <= count; number++) await work(number);
}
