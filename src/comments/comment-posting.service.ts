import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Caller } from '../access/caller';
import { originOf } from '../access/past-change';
import { ActivitiesService, type NewActivity } from '../activities/activities.service';
import { type AttachmentLink } from '../attachments/attachment-link';
import { AttachmentLinksService } from '../attachments/attachment-links.service';
import { type AttachmentDto } from '../attachments/dto/attachment.dto';
import { type NotificationReason } from '../notifications/notification-reason';
import { type NamedPeople } from '../projects/project-people.service';
import { attachmentChange, type ChangeLogEntry } from './change-log';
import { toCommentDto } from './comment.mapper';
import { CommentsService } from './comments.service';
import { type CommentDto } from './dto/comment.dto';

/** The issue, pull request or other resource that a comment is posted on. */
export interface CommentedResource {
  id: number;
  projectId: number;
  threadId: number;
}

/** How comments on one kind of resource notify users. */
export interface CommentKind {
  reason: NotificationReason;
  /** Returns the change log entry for a notified user. */
  notificationEntry: (user: { name: string }) => ChangeLogEntry;
}

/** A comment to post, with its related changes. */
export interface CommentToPost {
  kind: CommentKind;
  content: string;
  /** The changes that the comment records. */
  changeLog?: readonly ChangeLogEntry[];
  /** The caller's uploads to attach. */
  files?: { link: AttachmentLink; attachmentIds: readonly number[] };
  /** The users that the request names or mentions. */
  people: NamedPeople;
  /** The new assignee, who is notified for this reason only. */
  assignment?: { userId: number; reason: NotificationReason };
  /** Milliseconds since 1970. */
  created: number;
  /** Returns the activity that records the comment. */
  describe: (
    comment: { id: number; content: string },
    attached: AttachmentDto[],
  ) => Pick<NewActivity, 'type' | 'content'> | Promise<Pick<NewActivity, 'type' | 'content'>>;
}

/**
 * Posts comments with their files, change logs, notifications and activities. No other code does so
 * (`docs/decisions/0026-posting-comments.md`).
 */
@Injectable()
export class CommentPostingService {
  constructor(
    private readonly files: AttachmentLinksService,
    private readonly comments: CommentsService,
    private readonly activities: ActivitiesService,
  ) {}

  /**
   * Posts a comment in the transaction of the change that it records, and returns its response.
   * @throws InvalidRequestError for an upload that cannot be attached
   */
  async post(
    manager: EntityManager,
    on: CommentedResource,
    caller: Caller,
    comment: CommentToPost,
  ): Promise<CommentDto> {
    const { projectId, threadId } = on;
    const { kind, content, changeLog = [], files, people, assignment } = comment;
    const { author, created, updated } = originOf(manager, caller, comment.created);
    const attached = files
      ? await this.files.attach(manager, files.link, on.id, caller, files.attachmentIds)
      : [];
    const edit = { author, created };
    const entries = [
      ...changeLog,
      ...attached.map(attachmentChange),
      ...people.notified.map(kind.notificationEntry),
    ];
    const row = { projectId, threadId, content, changeLog: entries, ...edit };
    const id = await this.comments.add(manager, row);
    const source = { id, projectId, threadId, senderId: caller.id };
    const notified = people.notified.filter((user) => user.id !== assignment?.userId);
    const notifications = await this.comments.notify(manager, source, notified, kind.reason);
    const assignee = assignment && people.users.get(assignment.userId);
    if (assignee) await this.comments.notify(manager, source, [assignee], assignment.reason);
    const activity = await comment.describe({ id, content }, attached);
    await this.activities.record(manager, { projectId, ...activity, ...edit });
    const related = { users: people.users, agent: author.agent, stars: [], notifications };
    return toCommentDto({ ...row, id, createdUserId: author.id, updated }, related);
  }
}

/** Returns the new assignee of a change, unless it is the caller. */
export function newAssignment(
  before: { assigneeId: number | null },
  after: { assigneeId: number | null },
  caller: Caller,
  reason: NotificationReason,
): CommentToPost['assignment'] {
  const { assigneeId } = after;
  const isNew = assigneeId !== null && assigneeId !== before.assigneeId && assigneeId !== caller.id;
  return isNew ? { userId: assigneeId, reason } : undefined;
}
