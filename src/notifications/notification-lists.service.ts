import { Injectable } from '@nestjs/common';
import { type Requester } from '../event-loop/user-turns';
import { Page } from '../paging/page';
import { toTimestamp } from '../http/request/timestamp';
import { type ProjectDto } from '../projects/dto/project.dto';
import { ProjectsService } from '../projects/projects.service';
import { type Caller } from '../access/caller';
import { type UserDto } from '../users/dto/user.dto';
import { UsersService } from '../users/users.service';
import { type UserNotificationRow } from './data/user-notification.repository';
import { type ListNotificationsQuery } from './dto/notification-queries.dto';
import { type UserNotificationDto } from './dto/user-notification.dto';
import { NotificationSubjectsService } from './notification-subjects.service';
import { UserNotificationsService } from './user-notifications.service';

/** The resources shown with notifications: issues, pull requests and documents by thread id, all others by their own id. */
interface Parts {
  projects: ReadonlyMap<number, ProjectDto>;
  issues: ReadonlyMap<number, object>;
  pullRequests: ReadonlyMap<number, object>;
  documents: ReadonlyMap<number, object>;
  comments: ReadonlyMap<number, object>;
  documentComments: ReadonlyMap<number, DocumentCommentFields>;
  users: ReadonlyMap<number, UserDto>;
}

/** A comment on a document, or a reply to one; the other field is null. */
interface DocumentCommentFields {
  documentComment: object | null;
  documentCommentReply: object | null;
}

/** Lists users' notifications with their subjects. */
@Injectable()
export class NotificationListsService {
  constructor(
    private readonly notifications: UserNotificationsService,
    private readonly projects: ProjectsService,
    private readonly subjects: NotificationSubjectsService,
    private readonly users: UsersService,
  ) {}

  /** Returns one page of the caller's notifications. */
  async list(
    caller: Caller,
    query: ListNotificationsQuery,
    requester: Requester,
  ): Promise<Page<UserNotificationDto>> {
    const { items, next } = await this.notifications.list(caller, { senderId: query.senderId }, query);
    const threadIds = distinct(items.map((row) => row.threadId));
    // Which comments are on documents depends on them.
    const documents = await this.users.complete(await this.subjects.read('document', threadIds, requester));
    const isOfDocument = (row: UserNotificationRow): boolean =>
      row.threadId !== null && documents.has(row.threadId);
    const commentIds = (rows: readonly UserNotificationRow[]): number[] => distinct(rows.map(commentOf));
    const issues = await this.subjects.read('issue', threadIds, requester);
    const pullRequests = await this.subjects.read('pullRequest', threadIds, requester);
    const ofDocuments = commentIds(items.filter(isOfDocument));
    const others = commentIds(items.filter((row) => !isOfDocument(row)));
    const documentComments = await this.subjects.read('documentComment', ofDocuments, requester);
    const comments = await this.subjects.read('comment', others, requester);
    const read = [issues, pullRequests, documentComments, comments];
    const users = await this.users.findByIds([
      ...items.map((row) => row.senderId),
      ...read.flatMap(({ userIds }) => userIds),
    ]);
    const parts: Parts = {
      projects: await this.projects.findSummaries(distinct(items.map((row) => row.projectId))),
      issues: issues.build(users),
      pullRequests: pullRequests.build(users),
      documents,
      comments: comments.build(users),
      documentComments: documentComments.build(users) as Parts['documentComments'],
      users,
    };
    return new Page(
      items.map((row) => toDto(row, parts)),
      next,
    );
  }
}

const distinct = (ids: readonly (number | null)[]): number[] => [
  ...new Set(ids.filter((id): id is number => id !== null)),
];

/** Returns the id of the comment that a notification shows. */
const commentOf = (row: UserNotificationRow): number | null => row.commentId ?? row.watchedCommentId;

function toDto(row: UserNotificationRow, parts: Parts): UserNotificationDto {
  const issue = find(parts.issues, row.threadId);
  const pullRequest = find(parts.pullRequests, row.threadId);
  const comment = find(parts.comments, commentOf(row));
  const documentComment = find(parts.documentComments, row.commentId);
  return {
    id: row.id,
    alreadyRead: row.alreadyRead,
    reason: row.reason,
    resourceAlreadyRead: row.resourceAlreadyRead,
    project: find(parts.projects, row.projectId),
    issue,
    comment: issue && comment && { ...comment, ...placeOf(issue as IssueFields) },
    pullRequest,
    pullRequestComment: pullRequest && comment,
    document: find(parts.documents, row.threadId),
    documentComment: documentComment?.documentComment ?? null,
    documentCommentReply: documentComment?.documentCommentReply ?? null,
    sender: parts.users.get(row.senderId) as UserDto,
    created: toTimestamp(row.created),
  };
}

const find = <Dto>(dtos: ReadonlyMap<number, Dto>, id: number | null): Dto | null =>
  (id === null ? undefined : dtos.get(id)) ?? null;

/** Some of the fields of an issue. */
interface IssueFields {
  id: number;
  projectId: number;
}

/** Returns the fields that comments on issues have in addition to those of all comments. */
const placeOf = ({ id, projectId }: IssueFields): object => ({ projectId, issueId: id });
