import { RoleType } from '../../src/access/role-type';
import { INITIAL_STATE, valuesOf } from '../../src/issues/issue-fields';
import { aTimestamp, anId, anInteger, userShape } from './shapes';
import { type Person, type ProjectFixture, type Started, useWorld, type World } from './world';

/** The fields of an issue in a response that tests read. */
export interface IssueBody {
  id: number;
  issueKey: string;
  keyId: number;
  summary: string;
  [field: string]: unknown;
}

/** Returns the expected form of a standard status in a new project. */
export const statusShape = (project: ProjectFixture, id: 1 | 2 | 3 | 4): object => ({
  id,
  projectId: project.id,
  name: ['Open', 'In Progress', 'Resolved', 'Closed'][id - 1],
  color: expect.stringMatching(/^#[0-9a-f]{6}$/),
  displayOrder: anInteger,
});

export const PRIORITY = {
  high: { id: 2, name: 'High' },
  normal: { id: 3, name: 'Normal' },
  low: { id: 4, name: 'Low' },
};

/** Matches every field of an issue and no other: an Open issue with nothing set except the given fields. */
export const issueShape = (
  project: ProjectFixture,
  author: Pick<Person, 'id' | 'name'>,
  fields: object,
): object => ({
  id: anId,
  projectId: project.id,
  issueKey: expect.stringMatching(new RegExp(`^${project.key}-[1-9]\\d*$`)),
  keyId: anId,
  issueType: {
    id: project.issueTypeId,
    projectId: project.id,
    name: expect.any(String),
    color: expect.stringMatching(/^#[0-9a-f]{6}$/),
    displayOrder: anInteger,
  },
  description: '',
  resolution: null,
  priority: PRIORITY.normal,
  status: statusShape(project, 1),
  assignee: null,
  category: [],
  versions: [],
  milestone: [],
  ...valuesOf(INITIAL_STATE, () => null),
  parentIssueId: null,
  createdUser: userShape(author),
  created: aTimestamp,
  updatedUser: userShape(author),
  updated: aTimestamp,
  customFields: [],
  attachments: [],
  sharedFiles: [],
  stars: [],
  ...fields,
});

/** Returns the minimal body of a new issue. */
export const newIssue = (project: ProjectFixture, fields: object = {}): object => ({
  projectId: project.id,
  summary: 'New',
  issueTypeId: project.issueTypeId,
  priorityId: 3,
  ...fields,
});

/** Adds an issue, which must succeed. */
export async function addIssue(
  person: Person,
  project: ProjectFixture,
  fields: object = {},
): Promise<IssueBody> {
  const { status, body } = await person.api.post<IssueBody>('/issues', newIssue(project, fields));
  if (status !== 201) throw new Error(`POST /issues: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** Updates an issue, which must succeed. */
export async function updateIssue(person: Person, id: number | string, fields: object): Promise<IssueBody> {
  const { status, body } = await person.api.patch<IssueBody>(`/issues/${id}`, fields);
  if (status !== 200) throw new Error(`PATCH /issues/${id}: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** Adds one of a project's settings, and returns it as in the response. */
export async function addSetting(
  world: World,
  project: ProjectFixture,
  what: 'categories' | 'versions' | 'issueTypes' | 'statuses',
  name: string = world.uniqueName(what),
): Promise<{ id: number; name: string }> {
  const body =
    what === 'statuses'
      ? { name, color: '#4caf93' }
      : what === 'issueTypes'
        ? { name, color: '#990000' }
        : { name };
  const answer = await world.admin.api.post<{ id: number; name: string }>(
    `/projects/${project.key}/${what}`,
    body,
  );
  if (answer.status > 201) throw new Error(`${what}: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** Returns the notifications of a thread, oldest first; `commentId` is null for the issue itself. */
export async function notificationsOf(
  world: World,
  threadId: number,
): Promise<{ userId: number; senderId: number; reason: number; commentId: number | null }[]> {
  const rows = await world.dataSource.query<
    { userId: number; senderId: number; reason: number; commentId: number | null }[]
  >(
    `SELECT user_id AS userId, sender_id AS senderId, reason, comment_id AS commentId FROM notification
      WHERE thread_id = ? ORDER BY id`,
    [threadId],
  );
  return rows.map((row) => ({ ...row }));
}

/** Returns the thread id of an issue. */
export async function threadOf(world: World, issueId: number): Promise<number> {
  const [row] = await world.dataSource.query<[{ threadId: number }]>(
    'SELECT thread_id AS threadId FROM issue WHERE id = ?',
    [issueId],
  );
  return row.threadId;
}

/** An issue for each test, in a project with two members: one who comments and one who may only read. */
export class CommentedIssue {
  project: ProjectFixture;
  author: Person;
  colleague: Person;

  constructor(private readonly started: Started) {}

  async setUp(authorRole?: RoleType): Promise<void> {
    this.project = await this.world.addProject();
    this.author = await this.world.addMember(this.project, authorRole);
    this.colleague = await this.world.addMember(this.project, RoleType.GuestViewer);
  }

  get world(): World {
    return this.started.world;
  }

  /** Path of the issue's comments. */
  get comments(): string {
    return `/issues/${this.project.issueKey}/comments`;
  }

  /** Adds a comment by the author, and returns its id. */
  addComment(content?: string): Promise<number> {
    return this.world.addComment(this.project.issueThreadId, this.author, content);
  }

  /** Returns the content of the activities of the issue's comments. */
  activityContent(fields: object): object {
    return {
      id: this.project.issueId,
      key_id: 1,
      summary: 'An issue',
      description: 'Its description',
      changes: [],
      attachments: [],
      shared_files: [],
      external_file_links: [],
      ...fields,
    };
  }
}

/** Starts a world for a suite, and adds an issue for each test. */
export function useCommentedIssue(authorRole?: RoleType): CommentedIssue {
  const tested = new CommentedIssue(useWorld());
  beforeEach(() => tested.setUp(authorRole));
  return tested;
}
