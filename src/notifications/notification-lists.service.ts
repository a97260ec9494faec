import { Injectable } from '@nestjs/common';
import { CommentsService } from '../comments/comments.service';
import { type CommentDto } from '../comments/dto/comment.dto';
import { type UserNotificationRow } from '../comments/data/user-notification.repository';
import { UserNotificationsService } from '../comments/user-notifications.service';
import { type Requester } from '../event-loop/user-turns';
import { Page } from '../paging/page';
import { toTimestamp } from '../http/request/timestamp';
import { type ProjectDto } from '../projects/dto/project.dto';
import { ProjectsService } from '../projects/projects.service';
import { type Caller } from '../access/caller';
import { type UserDto } from '../users/dto/user.dto';
import { UsersService } from '../users/users.service';
import { type ListNotificationsQuery } from './dto/notification-queries.dto';
import { type UserNotificationDto } from './dto/user-notification.dto';
import { NotificationSubjectsService } from './notification-subjects.service';

/** What notifications are shown with: issues and pull requests by their threads, everything else by its id. */
interface Parts {
  projects: ReadonlyMap<number, ProjectDto>;
  issues: ReadonlyMap<number, object>;
  pullRequests: ReadonlyMap<number, object>;
  comments: ReadonlyMap<number, CommentDto>;
  users: ReadonlyMap<number, UserDto>;
}

/** Users' notifications together with the things that they are about. */
@Injectable()
export class NotificationListsService {
  constructor(
    private readonly notifications: UserNotificationsService,
    private readonly projects: ProjectsService,
    private readonly subjects: NotificationSubjectsService,
    private readonly comments: CommentsService,
    private readonly users: UsersService,
  ) {}

  /** One page of the caller's notifications. */
  async list(
    caller: Caller,
    query: ListNotificationsQuery,
    requester: Requester,
  ): Promise<Page<UserNotificationDto>> {
    const { items, next } = await this.notifications.list(caller, { senderId: query.senderId }, query);
    const threadIds = distinct(items.map((row) => row.threadId));
    const parts: Parts = {
      projects: await this.projects.findSummaries(distinct(items.map((row) => row.projectId))),
      issues: await this.subjects.find('issue', threadIds),
      pullRequests: await this.subjects.find('pullRequest', threadIds),
      comments: await this.comments.findByIds(distinct(items.map((row) => row.commentId)), requester),
      users: await this.users.findByIds(items.map((row) => row.senderId)),
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

function toDto(row: UserNotificationRow, parts: Parts): UserNotificationDto {
  const issue = find(parts.issues, row.threadId);
  const pullRequest = find(parts.pullRequests, row.threadId);
  const comment = find(parts.comments, row.commentId);
  return {
    id: row.id,
    alreadyRead: row.alreadyRead,
    reason: row.reason,
    resourceAlreadyRead: row.resourceAlreadyRead,
    project: find(parts.projects, row.projectId),
    issue,
    comment: issue && comment,
    pullRequest,
    pullRequestComment: pullRequest && comment,
    sender: parts.users.get(row.senderId) as UserDto,
    created: toTimestamp(row.created),
  };
}

const find = <Dto>(dtos: ReadonlyMap<number, Dto>, id: number | null): Dto | null =>
  (id === null ? undefined : dtos.get(id)) ?? null;
