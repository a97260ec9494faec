import { Answer, type Asked, FakeForge } from './fake-forge';
import { type FakeCommits } from './repositories';

/** The path of the project. */
export const PROJECT_PATH = 'tools/apps/mobile-app';
/** The number of issues, of which some are confidential. */
export const LAST_ISSUE = 130;
export const CONFIDENTIAL = 12;
/** How many links issues have, by their numbers. */
export const MANY_LINKS: ReadonlyMap<number, number> = new Map([
  [6, 100],
  [7, 110],
]);
/** What only members of the project may see. */
export const SECRET = 'the secret';
export const UPLOAD = '/uploads/0123456789abcdef0123456789abcdef/plan%20b.png';
const LOST_UPLOAD = '/uploads/00000000000000000000000000000000/lost.png';

const PROJECT_ID = 77;
/** What GitLab shows nobody without a key, also not of a public project. */
const NEEDS_KEY = /\/(notes|links|resource_\w+_events|members\/all)$|^\/users\//;
const BEGUN = Date.UTC(2024, 2, 1);
const MINUTE = 60_000;

const user = (id: number, username: string, name: string, state = 'active') => ({
  ...{ id, username, name, state, locked: false },
  ...{ avatar_url: null, web_url: `https://gitlab.example.com/${username}` },
});
const ada = user(1, 'ada', 'Ada Lovelace');
const bob = user(2, 'bob', 'Bob', 'blocked');
const ghost = user(3, 'ghost', 'Ghost User');

const bug = { id: 5, name: 'bug', color: '#FF0000', description: null, text_color: '#FFFFFF' };
const milestone = {
  ...{ id: 9, iid: 1, project_id: PROJECT_ID, title: 'v1', description: 'The first', state: 'active' },
  ...{ start_date: '2024-03-01', due_date: '2024-04-30', expired: true },
};

const at = (minutes: number): string => new Date(BEGUN + minutes * MINUTE + 123).toISOString();
export const idOf = (iid: number): number => 3000 + iid;
export const createdOf = (iid: number): number => BEGUN + iid * 60 * MINUTE + 123;

/** GitLab with one project, in the forms that its documentation describes. */
export class FakeGitlab extends FakeForge {
  constructor(
    folder: string,
    private readonly commits: FakeCommits,
  ) {
    super('/api/v4', folder);
  }

  protected pageOf(): number {
    return 100;
  }

  protected answer({ path, query, headers }: Asked): unknown {
    const base = `/projects/${PROJECT_ID}`;
    if (headers['private-token'] === undefined && NEEDS_KEY.test(path)) {
      return new Answer(401, { message: '401 Unauthorized' });
    }
    if (path === `/projects/${encodeURIComponent(PROJECT_PATH)}`) return this.project();
    if (path === '/users/1') return { ...ada, public_email: 'ada@example.com', bot: false };
    if (path === '/users/2') return { ...bob, public_email: '', bot: false };
    if (path === `${base}${UPLOAD}`) return 'a picture';
    if (!path.startsWith(`${base}/`)) return undefined;
    const part = path.slice(base.length + 1);
    const [, kind, iid, list] = /^(issues|merge_requests)\/(\d+)\/(\w+)$/.exec(part) ?? [];
    if (kind === 'issues') return this.issueList(Number(iid), list ?? '');
    if (kind === 'merge_requests') return this.mergeRequestList(list ?? '');
    switch (part) {
      case 'members/all':
        return [
          { ...ada, access_level: 30, expires_at: null },
          { ...bob, access_level: 20, expires_at: null },
          { ...ada, access_level: 50, expires_at: null },
        ];
      case 'labels':
        return [bug];
      case 'milestones':
        return [milestone];
      case 'issues':
        return this.after(
          query,
          Array.from({ length: LAST_ISSUE }, (_value, index) => this.issue(index + 1)),
        );
      case 'issues_statistics':
        return { statistics: { counts: { all: LAST_ISSUE, closed: 1, opened: LAST_ISSUE - 1 } } };
      case 'merge_requests':
        return this.after(query, [this.mergeRequest()]);
      case 'wikis':
        return [{ slug: 'home', title: 'home', format: 'markdown' }];
      default:
        return undefined;
    }
  }

  private after<T extends { created_at: string }>(query: URLSearchParams, elements: T[]): T[] {
    const from = Date.parse(query.get('created_after') ?? '1970-01-01T00:00:00Z');
    return elements.filter(({ created_at: created }) => Date.parse(created) >= from);
  }

  private project() {
    return {
      ...{ id: PROJECT_ID, name: 'Mobile App', path: 'mobile-app', path_with_namespace: PROJECT_PATH },
      ...{ description: null, default_branch: 'main', archived: true, visibility: 'private' },
      ...{ created_at: at(0), last_activity_at: at(5000), creator_id: 1, empty_repo: false },
      ...{ wiki_enabled: true, issues_enabled: true },
    };
  }

  private issue(iid: number) {
    const isSpecial = iid === 1;
    const time = new Date(createdOf(iid)).toISOString();
    return {
      ...{ id: idOf(iid), iid, project_id: PROJECT_ID, type: 'ISSUE', confidential: iid === CONFIDENTIAL },
      title: iid === CONFIDENTIAL ? SECRET : `Issue ${iid}`,
      description: isSpecial ? descriptionOf() : iid === CONFIDENTIAL ? SECRET : null,
      ...{ state: iid === 3 ? 'closed' : 'opened', issue_type: iid === 2 ? 'incident' : 'issue' },
      ...{ labels: isSpecial ? [bug] : [], milestone: isSpecial ? milestone : null },
      ...{ assignees: isSpecial ? [bob, ada] : [], author: iid === 4 ? ghost : ada },
      ...{ due_date: isSpecial ? '2024-05-06' : null, weight: isSpecial ? 7 : null, severity: 'UNKNOWN' },
      time_stats: {
        ...{ time_estimate: isSpecial ? 9000 : 0, total_time_spent: isSpecial ? 3600 : 0 },
        ...{ human_time_estimate: '2h 30m', human_total_time_spent: '1h' },
      },
      ...{ upvotes: isSpecial ? 2 : 0, downvotes: 0, user_notes_count: 1, moved_to_id: null },
      _links: {
        self: '',
        closed_as_duplicate_of: iid === 3 ? `${this.origin}/api/v4/projects/77/issues/1` : null,
      },
      ...{ created_at: time, updated_at: time },
    };
  }

  private issueList(iid: number, list: string): unknown {
    // Nobody may ask for what is not imported.
    if (iid === CONFIDENTIAL) throw new Error(`The confidential issue ${iid} has been asked for`);
    if (list === 'links') return this.links(iid);
    if (iid !== 1) return [];
    const event = (id: number, minutes: number, more: object) => ({
      ...{ id, user: ada, created_at: at(minutes), resource_type: 'Issue', resource_id: 3001, ...more },
    });
    switch (list) {
      case 'notes':
        return this.notes();
      case 'resource_state_events':
        return [event(1, 71, { state: 'closed' }), event(2, 73, { state: 'reopened' })];
      case 'resource_label_events':
        return [event(1, 72, { action: 'add', label: bug }), event(2, 74, { action: 'remove', label: null })];
      case 'resource_milestone_events':
        return [event(1, 75, { action: 'add', milestone, state: 'active' })];
      default:
        return undefined;
    }
  }

  /** The links of an issue, which have no pages, whatever is asked for. */
  private links(iid: number): Answer {
    const link = (to: number, type = 'relates_to', project = PROJECT_ID) => ({
      ...{ ...this.issue(to), project_id: project, link_type: type },
      ...{ issue_link_id: 1000 * iid + to, link_created_at: at(99) },
    });
    if (iid === 1) return new Answer(200, [link(2, 'blocks'), link(CONFIDENTIAL), link(5, 'relates_to', 78)]);
    const others = MANY_LINKS.get(iid) ?? 0;
    return new Answer(
      200,
      Array.from({ length: others }, (_value, index) => link(LAST_ISSUE - index)),
    );
  }

  private note(id: number, minutes: number, body: string, more: object = {}) {
    return {
      ...{ id, type: null, body, author: bob, created_at: at(minutes), updated_at: at(minutes) },
      ...{ system: false, noteable_id: 3001, noteable_type: 'Issue', project_id: PROJECT_ID },
      ...{ resolvable: false, confidential: false, internal: false, noteable_iid: 1, ...more },
    };
  }

  private notes() {
    const system = { system: true };
    return [
      this.note(1, 70, `See #2, #${CONFIDENTIAL} and !1: [lost](${LOST_UPLOAD})`),
      this.note(2, 76, SECRET, { internal: true, confidential: true }),
      this.note(3, 77, `mentioned in issue #${CONFIDENTIAL}`, system),
      this.note(4, 78, 'assigned to @bob and @ada and unassigned @eve', system),
      this.note(5, 79, 'changed title from **{-Old-}** to **{+New+} title**', system),
      this.note(6, 80, 'changed due date to May 6, 2024', system),
      this.note(7, 81, 'changed the description', system),
    ];
  }

  private mergeRequest() {
    return {
      ...{
        id: 4001,
        iid: 1,
        project_id: PROJECT_ID,
        title: 'Change',
        description: 'Closes #1',
        state: 'merged',
      },
      ...{ author: bob, assignees: [], reviewers: [ada], draft: false, labels: ['bug'] },
      ...{
        source_branch: 'main',
        target_branch: 'main',
        source_project_id: 99,
        target_project_id: PROJECT_ID,
      },
      ...{ sha: this.commits.request, merge_commit_sha: null, squash_commit_sha: this.commits.main },
      ...{ merged_at: at(90), closed_at: null, upvotes: 0, downvotes: 0, user_notes_count: 1 },
      ...{ created_at: at(80), updated_at: at(90) },
    };
  }

  private mergeRequestList(list: string): unknown {
    if (list === 'resource_state_events') return [{ id: 9, user: ada, created_at: at(90), state: 'merged' }];
    if (list !== 'notes') return undefined;
    const position = {
      position_type: 'text',
      new_path: 'a.txt',
      new_line: 3,
      old_path: 'a.txt',
      old_line: null,
    };
    return [
      this.note(20, 85, 'Why?', { type: 'DiffNote', position, resolvable: true }),
      this.note(21, 86, SECRET, { internal: true }),
    ];
  }
}

const descriptionOf = (): string => `A ![plan](${UPLOAD}){width=10 height=20} and [again](${UPLOAD})`;
