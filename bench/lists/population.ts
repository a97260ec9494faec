/** Number of projects, in both sizes. */
export const PROJECTS = 50;
export const COMMENTS_PER_ISSUE = 5;
/** One comment in this many is on the busiest issue. */
const BUSIEST_SHARE = 100;
const MEMBERSHIPS = 4;

/** The amounts of data, all derived from the number of issues. */
export interface Amounts {
  issues: number;
  comments: number;
  wikis: number;
  documents: number;
  /** Versions of the wiki page with the most changes. */
  wikiVersions: number;
  pullRequests: number;
  pullRequestComments: number;
  deliveries: number;
}

export const amountsOf = (issues: number): Amounts => ({
  issues,
  comments: issues * COMMENTS_PER_ISSUE,
  wikis: issues / 10,
  documents: issues / 10,
  wikiVersions: issues / 100,
  pullRequests: issues / 10,
  pullRequestComments: issues / 10,
  deliveries: issues / 10,
});

/** Positions in `Population.userIds` of the users with a special role. */
export const USERS = {
  administrator: 0,
  /** A member of the first project only. */
  memberOfOne: 1,
  /** A member of the first ten projects. */
  memberOfTen: 2,
  /** A member of every project, and author of a twentieth of everything. */
  busy: 3,
  /** Equally active, in projects that neither of the first two members sees. */
  stranger: 4,
} as const;

/** Returns a pseudorandom number, 0 ≤ n < 2^32, which is the same in every run. */
export function scatter(index: number, salt: number): number {
  let value = Math.imul(index ^ (salt * 0x9e3779b9), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

/** Returns the same as a number between 0 and 1. */
export const fraction = (index: number, salt: number): number => scatter(index, salt) / 2 ** 32;

/** Picks the first item at least half of the time, so that even a few rows fill a page with it. */
export const pick = <Item>(items: readonly Item[], index: number, salt: number): Item => {
  const value = scatter(index, salt);
  return items[value % 2 === 0 ? 0 : (value >>> 1) % items.length] as Item;
};

/** Assigns the data: issues to projects, authors to items, and comments to issues. */
export class Population {
  /** Ids of users by project, counted from 0. */
  readonly members: readonly (readonly number[])[];

  constructor(
    readonly userIds: readonly number[],
    readonly amounts: Amounts,
  ) {
    const members: number[][] = Array.from({ length: PROJECTS }, () => []);
    userIds.forEach((id, position) => {
      for (const project of projectsOf(position)) members[project]?.push(id);
    });
    this.members = members;
  }

  userId(name: keyof typeof USERS): number {
    return this.userIds[USERS[name]] as number;
  }

  projectOfIssue(issue: number): number {
    return issue % PROJECTS;
  }

  /** Returns the busiest issue, which is the first, or any issue that exists by then. */
  issueOfComment(comment: number): number {
    if (scatter(comment, 5) % BUSIEST_SHARE === 0) return 0;
    return scatter(comment, 1) % (Math.floor(comment / COMMENTS_PER_ISSUE) + 1);
  }

  /** Puts half of the pull requests in the first project. */
  projectOfPullRequest(pullRequest: number): number {
    return pullRequest % 2 === 0 ? 0 : 1 + (((pullRequest - 1) / 2) % (PROJECTS - 1));
  }

  /** Puts half of the comments on the first pull request. */
  pullRequestOfComment(comment: number): number {
    return comment % 2 === 0 ? 0 : scatter(comment, 2) % this.amounts.pullRequests;
  }

  /** Returns the author of the item with an index in a project. */
  author(project: number, index: number): number {
    if (index % 20 === 0) return this.userId('busy');
    if (index % 20 === 1 && project >= 10) return this.userId('stranger');
    return this.member(project, index, 3);
  }

  member(project: number, index: number, salt: number): number {
    const members = this.members[project] as number[];
    return members[scatter(index, salt) % members.length] as number;
  }

  /**
   * Returns the user notified of a comment, for one comment in five; in the projects of the member of ten, half of these
   * notifications go to that member.
   */
  notified(project: number, comment: number): number | undefined {
    if (comment % 5 !== 0) return undefined;
    const isForMember = project < 10 && Math.floor(comment / 5) % 2 === 0;
    return isForMember ? this.userId('memberOfTen') : this.member(project, comment, 4);
  }

  /**
   * Returns the parent of an issue, in the same project: more than half of the first project's issues are children of its second,
   * and one in ten of the other projects' issues is a child of the one before.
   */
  parentOf(issue: number): number | undefined {
    const project = this.projectOfIssue(issue);
    const position = Math.floor(issue / PROJECTS);
    if (project === 0) return position >= 2 && position % 5 < 3 ? PROJECTS : undefined;
    return position % 10 === 9 ? issue - PROJECTS : undefined;
  }
}

/** Returns the projects of the user at a position. */
function projectsOf(position: number): Iterable<number> {
  if (position === USERS.administrator) return [];
  if (position === USERS.memberOfOne) return [0];
  if (position === USERS.memberOfTen) return range(0, 10);
  if (position === USERS.busy) return range(0, PROJECTS);
  if (position === USERS.stranger) return range(10, PROJECTS);
  return new Set(range(0, MEMBERSHIPS).map((salt) => scatter(position, salt) % PROJECTS));
}

const range = (start: number, end: number): number[] =>
  Array.from({ length: end - start }, (_, index) => start + index);
