import { Answer, type Asked, FakeForge } from './fake-forge';
import { type FakeCommits } from './repositories';

/** The path of the repository. */
export const REPOSITORY = 'octo/web-app';
export const LAST_NUMBER = 260;
/** A number that has been deleted. */
export const DELETED = 55;
/** An issue whose events tell of its end. */
export const CLOSED = 246;
/** The issues that were changed in the same second: more than a page. */
const SAME = { first: 101, last: 230 };

const REPOSITORY_ID = 900_001;
const BEGUN = Date.UTC(2024, 0, 1);
const MINUTE = 60_000;

const ada = { id: 11, login: 'ada', type: 'User', node_id: 'U_11', site_admin: false };
const bob = { id: 12, login: 'bob', type: 'User', node_id: 'U_12', site_admin: false };
const bot = { id: 13, login: 'build[bot]', type: 'Bot', node_id: 'U_13', site_admin: false };
const owner = { id: 10, login: 'octo', type: 'Organization', node_id: 'O_10' };
const PEOPLE = [ada, bob, bot];

const bug = { id: 501, name: 'bug', color: 'd73a4a', description: 'Something is wrong' };
const help = { id: 502, name: 'help wanted', color: '008672', description: null };
const milestone = {
  ...{ id: 601, number: 1, title: 'v1', description: 'The first', state: 'closed' },
  due_on: '2024-06-30T07:00:00Z',
};

export const isPullRequest = (number: number): boolean => number % 10 === 0;

const numbers = Array.from({ length: LAST_NUMBER }, (_value, index) => index + 1).filter(
  (number) => number !== DELETED,
);

export const createdOf = (number: number): number => BEGUN + number * MINUTE;
const iso = (time: number): string => new Date(time).toISOString().replace('.000Z', 'Z');

const updatedOf = (number: number): number =>
  number >= SAME.first && number <= SAME.last
    ? BEGUN + 400 * MINUTE
    : createdOf(number) + ((number * 37) % 97) * 60 * MINUTE;

/** GitHub with one repository, in the forms that its documentation describes. */
export class FakeGithub extends FakeForge {
  constructor(
    folder: string,
    private readonly commits: FakeCommits,
  ) {
    super('/api/v3', folder);
  }

  /** The numbers of issues and pull requests. */
  get issues(): number[] {
    return numbers.filter((number) => !isPullRequest(number));
  }

  get pullRequests(): number[] {
    return numbers.filter(isPullRequest);
  }

  protected pageOf(path: string): number {
    return path.endsWith('/pulls') ? 10 : 100;
  }

  protected answer({ path, query }: Asked): unknown {
    const base = `/repos/${REPOSITORY}`;
    if (path === base) return this.repository();
    if (path.startsWith('/users/')) return profileOf(decodeURIComponent(path.slice('/users/'.length)));
    if (path === '/search/issues') return this.search(query.get('q') ?? '');
    if (!path.startsWith(`${base}/`)) return undefined;
    const part = path.slice(base.length + 1);
    const [, single] = /^pulls\/(\d+)$/.exec(part) ?? [];
    if (single !== undefined) return this.pullRequest(Number(single));
    return this.list(part, query);
  }

  private list(part: string, query: URLSearchParams): unknown {
    const page = Number(query.get('page'));
    const isTooFar = page > 2 && part !== 'issues/comments';
    const tooFar = (): Answer => new Answer(422, { message: 'Pagination is limited for this resource.' });
    switch (part) {
      case 'collaborators':
        return [
          { ...ada, permissions: { admin: true }, role_name: 'admin' },
          { ...bob, permissions: { admin: false }, role_name: 'write' },
        ];
      case 'labels':
        return [bug, help];
      case 'milestones':
        return [milestone];
      case 'issues':
        return isTooFar
          ? tooFar()
          : since(
              query,
              numbers.map((number) => this.issue(number)),
            );
      case 'issues/comments':
        return since(
          query,
          numbers.flatMap((number) => this.comments(number)),
        );
      case 'pulls/comments':
        return since(
          query,
          this.pullRequests.map((number) => this.reviewComment(number)),
        );
      case 'issues/events':
        return isTooFar ? tooFar() : numbers.flatMap((number) => this.events(number)).reverse();
      case 'pulls':
        return isTooFar ? tooFar() : this.pullRequests.map((number) => this.pullRequest(number));
      default:
        return undefined;
    }
  }

  repository() {
    return {
      ...{ id: REPOSITORY_ID, node_id: 'R_1', name: 'web-app', full_name: REPOSITORY, owner, private: false },
      ...{ description: 'An app', default_branch: 'main', archived: false, has_wiki: true, has_issues: true },
      ...{ created_at: iso(BEGUN), updated_at: iso(BEGUN), pushed_at: iso(BEGUN), fork: false },
    };
  }

  private search(words: string) {
    return {
      total_count: words.includes('is:pull-request') ? this.pullRequests.length : this.issues.length,
      items: [],
    };
  }

  private issue(number: number) {
    const address = `${this.origin}/api/v3/repos/${REPOSITORY}/issues`;
    const isClosed = number % 3 === 0;
    const author = number % 7 === 0 ? null : PEOPLE[number % PEOPLE.length];
    return {
      ...{ id: 70_000 + number, node_id: `I_${number}`, number, url: `${address}/${number}` },
      title: isPullRequest(number) ? `Change ${number}` : `Issue ${number}`,
      body: number === 1 ? null : `See #1, #10 and \`#1\`, @bob.\n\n    ${this.origin}/octo/web-app/issues/1`,
      ...{ user: author, author_association: 'MEMBER', locked: false, comments: 2 },
      ...{ labels: number % 2 === 0 ? [bug, help] : ['bug'], assignees: number === 4 ? [bob, ada] : [] },
      ...{ assignee: number === 4 ? bob : null, milestone: number === 4 ? milestone : null },
      ...{ state: isClosed ? 'closed' : 'open', state_reason: isClosed ? reasonOf(number) : null },
      closed_at: isClosed ? iso(updatedOf(number)) : null,
      ...(number === 8 && {
        type: { id: 1, node_id: 'T_1', name: 'Bug', description: 'A bug', color: 'red' },
      }),
      ...(number === 2 && { parent_issue_url: `${address}/4` }),
      ...(isPullRequest(number) && {
        pull_request: {
          url: `${address}/${number}`,
          merged_at: isMerged(number) ? iso(updatedOf(number)) : null,
        },
      }),
      reactions: { url: '', total_count: number === 5 ? 3 : 0, '+1': 3 },
      ...{ created_at: iso(createdOf(number)), updated_at: iso(updatedOf(number)) },
    };
  }

  private comments(number: number) {
    return [1, 2].map((place) => ({
      ...{ id: 10 * number + place, node_id: `C_${number}`, body: `Comment ${place} on #${number}` },
      issue_url: `${this.origin}/api/v3/repos/${REPOSITORY}/issues/${number}`,
      user: place === 1 ? ada : null,
      reactions: { total_count: 0 },
      created_at: iso(createdOf(number) + 2 * place * MINUTE),
      updated_at: iso(createdOf(number) + (2 * place + 1) * MINUTE),
    }));
  }

  private reviewComment(number: number) {
    return {
      // The ids of these comments are others than those of comments on issues.
      ...{
        id: 10 * number + 1,
        body: 'A better name?',
        user: bob,
        path: 'src/app.ts',
        diff_hunk: '@@ -1 +1 @@',
      },
      ...{ line: null, original_line: 12, side: 'RIGHT', commit_id: this.commits.request },
      pull_request_url: `${this.origin}/api/v3/repos/${REPOSITORY}/pulls/${number}`,
      created_at: iso(createdOf(number) + 3 * MINUTE),
      updated_at: iso(createdOf(number) + 3 * MINUTE),
    };
  }

  private events(number: number) {
    const event = (place: number, name: string, more: object) => ({
      ...{ id: 10 * number + place, node_id: `E_${number}`, event: name, actor: ada, issue: { number } },
      ...{ created_at: iso(createdOf(number) + 3 * MINUTE + place * 1000), ...more },
    });
    return [
      event(1, 'renamed', { rename: { from: 'Old', to: `Issue ${number}` } }),
      event(2, 'subscribed', {}),
      ...(number === CLOSED ? [event(3, 'closed', { state_reason: 'not_planned', actor: null })] : []),
    ];
  }

  private pullRequest(number: number) {
    const { user, title, body, state, assignees, created_at, updated_at, labels } = this.issue(number);
    const merged = isMerged(number);
    return {
      ...{ id: 80_000 + number, number, user, title, body, assignees, labels, created_at, updated_at },
      state: merged ? 'closed' : state,
      ...{ draft: false, merged_at: merged ? updated_at : null, closed_at: merged ? updated_at : null },
      merge_commit_sha: this.commits.main,
      base: { label: 'octo:main', ref: 'main', sha: this.commits.main, repo: { id: REPOSITORY_ID } },
      head:
        number === 20
          ? { label: 'eve:main', ref: 'main', sha: this.commits.request, repo: null }
          : { label: 'octo:feature', ref: 'feature', sha: this.commits.request, repo: { id: REPOSITORY_ID } },
    };
  }
}

const reasonOf = (number: number): string =>
  number % 2 === 0 ? 'not_planned' : number % 5 === 0 ? 'duplicate' : 'completed';

const isMerged = (number: number): boolean => number % 20 === 0;

const profileOf = (login: string) =>
  login === 'ada'
    ? { ...ada, name: 'Ada Lovelace', email: 'ada@example.com', bio: null }
    : { ...bob, name: null, email: null, bio: null };

/** Returns the elements that were changed at a time or after it, in the order of these times. */
function since<T extends { updated_at: string }>(query: URLSearchParams, elements: T[]): T[] {
  const from = query.get('since') ?? '';
  return elements
    .filter(({ updated_at: updated }) => updated >= from)
    .sort((one, other) =>
      one.updated_at < other.updated_at ? -1 : one.updated_at > other.updated_at ? 1 : 0,
    );
}
