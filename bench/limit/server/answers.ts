import { PAGE_SIZE } from './statements';

/** The user columns that every statement joins in. */
export interface UserColumns {
  userPrimaryId: number;
  userId: string;
  userName: string;
  roleType: number;
  lang: string;
  mailAddress: string;
  lastLoginTime: number;
  vendorId: string;
  vendorName: string;
  vendorUniqueId: string;
}

export interface CommentRow extends UserColumns {
  id: number;
  content: string;
  changeLog: string;
  created: number;
  updated: number;
}

export interface MarkRow extends UserColumns {
  isStar: number;
  id: number;
  commentId: number;
  comment: string;
  url: string;
  title: string;
  created: number;
  reason: number;
  alreadyRead: number;
  resourceAlreadyRead: number;
}

export interface IssueRow extends UserColumns {
  issueId: number;
  projectId: number;
  keyId: number;
  threadId: number;
  summary: string;
  description: string;
}

/** The parameters of the list. */
export interface ListRequest {
  projectKey: string;
  repository: string;
  number: number;
  maxId: number;
}

/** A comment to add to an issue. */
export interface AddRequest {
  projectKey: string;
  keyId: number;
  content: string;
  notifiedUserId: number[];
}

/** The operations of the limit, which return JSON text. */
export interface Limit {
  list: (request: ListRequest) => string | Promise<string>;
  add: (request: AddRequest) => string | Promise<string>;
}

const ISSUE_COMMENTED_REASON = 2;
const ISSUE_COMMENTED_ACTIVITY = 3;

const time = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;

const user = (row: UserColumns) => ({
  id: row.userPrimaryId,
  userId: row.userId,
  name: row.userName,
  roleType: row.roleType,
  lang: row.lang,
  mailAddress: row.mailAddress,
  lastLoginTime: time(row.lastLoginTime),
  vendorAccount: { vendorId: row.vendorId, name: row.vendorName, uniqueId: row.vendorUniqueId },
});

/** Returns the ids of a page as parameters of the marks' statement, padded to its fixed length with 0, which is never an id. */
export function markParameters(comments: readonly CommentRow[]): number[] {
  const ids = comments.map((comment) => comment.id);
  while (ids.length < PAGE_SIZE) ids.push(0);
  return [...ids, ...ids];
}

export function listAnswer(comments: readonly CommentRow[], marks: MarkRow[]): string {
  marks.sort((a, b) => a.id - b.id);
  return JSON.stringify(
    comments.map((row) => {
      const own = marks.filter((mark) => mark.commentId === row.id);
      return {
        id: row.id,
        content: row.content,
        changeLog: row.changeLog === '[]' ? [] : (JSON.parse(row.changeLog) as unknown),
        createdUser: user(row),
        created: time(row.created),
        updated: time(row.updated),
        stars: own.filter((mark) => mark.isStar).map(star),
        notifications: own.filter((mark) => !mark.isStar).map(notification),
      };
    }),
  );
}

const star = (row: MarkRow) => ({
  id: row.id,
  comment: row.comment,
  url: row.url,
  title: row.title,
  presenter: user(row),
  created: time(row.created),
});

const notification = (row: MarkRow) => ({
  id: row.id,
  alreadyRead: row.alreadyRead === 1,
  reason: row.reason,
  user: user(row),
  resourceAlreadyRead: row.resourceAlreadyRead === 1,
});

/** A comment to insert: its parameters in the statements' order, then the response. */
export class NewComment {
  private readonly issue: IssueRow;
  private readonly author: IssueRow;
  private readonly notified: IssueRow[];
  private readonly now = Date.now();
  private readonly changeLog: object[];

  constructor(
    private readonly request: AddRequest,
    rows: readonly IssueRow[],
    authorId: number,
  ) {
    const byId = new Map(rows.map((row) => [row.userPrimaryId, row]));
    this.issue = this.author = byId.get(authorId) as IssueRow;
    this.notified = request.notifiedUserId.map((id) => byId.get(id) as IssueRow);
    this.changeLog = this.notified.map((row) => ({
      field: 'notification',
      newValue: row.userName,
      originalValue: '',
      attachmentInfo: null,
      attributeInfo: null,
      notificationInfo: { type: 'issue.comment' },
    }));
  }

  commentParameters(): (string | number)[] {
    const { issue, author, request, now } = this;
    return [issue.threadId, request.content, JSON.stringify(this.changeLog), author.userPrimaryId, now, now];
  }

  notificationParameters(commentId: number): (string | number)[] {
    const { issue, author, notified, now } = this;
    return notified.flatMap((row) => [
      issue.projectId,
      issue.threadId,
      commentId,
      author.userPrimaryId,
      row.userPrimaryId,
      ISSUE_COMMENTED_REASON,
      0,
      0,
      now,
    ]);
  }

  activityParameters(commentId: number): (string | number)[] {
    const { issue, author, request, now } = this;
    const content = {
      id: issue.issueId,
      key_id: issue.keyId,
      summary: issue.summary,
      description: issue.description,
      comment: { id: commentId, content: request.content },
      changes: [],
      attachments: [],
      shared_files: [],
      external_file_links: [],
    };
    return [issue.projectId, ISSUE_COMMENTED_ACTIVITY, JSON.stringify(content), author.userPrimaryId, now];
  }

  issueParameters(): number[] {
    const { issue, author, now } = this;
    return [now, now, author.userPrimaryId, issue.issueId];
  }

  answer(commentId: number, notificationIds: readonly number[]): string {
    const created = time(this.now);
    return JSON.stringify({
      id: commentId,
      content: this.request.content,
      changeLog: this.changeLog,
      createdUser: user(this.author),
      created,
      updated: created,
      stars: [],
      notifications: this.notified.map((row, index) => ({
        id: notificationIds[index],
        alreadyRead: false,
        reason: ISSUE_COMMENTED_REASON,
        user: user(row),
        resourceAlreadyRead: false,
      })),
    });
  }
}
