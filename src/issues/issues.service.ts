import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { ActivitiesService } from '../activities/activities.service';
import { addition } from '../activities/activity-content';
import { ActivityType } from '../activities/activity-type';
import { AttachmentsService } from '../attachments/attachments.service';
import { type AttachmentDto } from '../attachments/dto/attachment.dto';
import { attachmentChange, notificationChange } from '../comments/change-log';
import { CommentsService } from '../comments/comments.service';
import { type CommentDto } from '../comments/dto/comment.dto';
import { NotificationReason } from '../comments/notification-reason';
import { insertRow, insertRows } from '../database/statements';
import { Transactions } from '../database/transactions';
import { ProjectCounters } from '../projects/project-counters.service';
import { ProjectsService } from '../projects/projects.service';
import { type Caller } from '../users/caller';
import { UsersService } from '../users/users.service';
import { type AddIssueCommentDto } from './dto/add-issue-comment.dto';
import { IssueAttachment } from './entities/issue-attachment.entity';
import { Issue } from './entities/issue.entity';
import { issueCommentActivity } from './issue-activity';
import { type IssueCommentSubject } from './issue-comment.resolver';
import { type IssueSubject } from './issue.resolver';

/** An issue to be written. */
export type NewIssue = Pick<
  Issue,
  'projectId' | 'issueTypeId' | 'statusId' | 'summary' | 'description' | 'createdUserId'
>;

/** Issues and their comments. */
@Injectable()
export class IssuesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly users: UsersService,
    private readonly projects: ProjectsService,
    private readonly counters: ProjectCounters,
    private readonly comments: CommentsService,
    private readonly attachments: AttachmentsService,
    private readonly activities: ActivitiesService,
  ) {}

  /**
   * Spec 4.3: writes the comment with its notifications and files, and activity 3.
   * @throws InvalidRequestError for a user or a file that cannot be used; nothing is stored
   */
  async addComment(issue: IssueSubject, caller: Caller, body: AddIssueCommentDto): Promise<CommentDto> {
    const users = await this.users.findByIds([caller.id, ...body.notifiedUserId]);
    const notified = await this.projects.getNotifiable(
      issue.projectId,
      body.notifiedUserId,
      users,
      'notifiedUserId',
    );
    return this.transactions.run(async (manager) => {
      const attached = await this.attach(manager, issue, caller, body.attachmentId);
      const comment = {
        projectId: issue.projectId,
        threadId: issue.threadId,
        content: body.content,
        changeLog: [...attached.map(attachmentChange), ...notified.map(notificationChange)],
        createdUserId: caller.id,
        created: Date.now(),
      };
      const told = { users: notified, reason: NotificationReason.IssueCommented };
      const dto = await this.comments.post(manager, comment, told, users);
      await this.activities.record(manager, {
        projectId: issue.projectId,
        type: ActivityType.IssueCommented,
        content: issueCommentActivity(
          issue,
          dto,
          attached.map((file) => addition('attachment', file.name)),
          attached,
        ),
        createdUserId: caller.id,
        created: comment.created,
      });
      return dto;
    });
  }

  /**
   * Spec 4.4: notifies who is not notified yet, and writes activity 17 if there is anyone.
   * @throws InvalidRequestError for a user who cannot be notified; nothing is stored
   */
  async addCommentNotifications(
    { commentId, issue }: IssueCommentSubject,
    caller: Caller,
    userIds: readonly number[],
  ): Promise<CommentDto> {
    const users = await this.projects.getNotifiable(
      issue.projectId,
      userIds,
      await this.users.findByIds(userIds),
      'notifiedUserId',
    );
    await this.transactions.run(async (manager) => {
      const comment = await this.comments.lock(manager, commentId);
      const added = users.filter((user) => !comment.notifiedUserIds.has(user.id));
      if (added.length === 0) return;
      const { projectId, threadId } = issue;
      const source = { id: commentId, projectId, threadId, senderId: caller.id };
      await this.comments.notify(manager, source, added, NotificationReason.IssueCommented);
      await this.comments.updateChangeLog(manager, commentId, [
        ...comment.changeLog,
        ...added.map(notificationChange),
      ]);
      await this.activities.record(manager, {
        projectId: issue.projectId,
        type: ActivityType.CommentNotificationAdded,
        content: issueCommentActivity(
          issue,
          { id: commentId, content: comment.content },
          added.map((user) => addition('notification', user.name)),
        ),
        createdUserId: caller.id,
        created: Date.now(),
      });
    });
    return this.comments.get(commentId);
  }

  /** Adds an issue with the project's next number and the thread of its comments. */
  async add(
    manager: EntityManager,
    issue: NewIssue,
  ): Promise<{ id: number; threadId: number; keyId: number }> {
    const keyId = await this.counters.take(manager, issue.projectId, 'issue');
    const threadId = await this.comments.addThread(manager, issue.projectId);
    const now = Date.now();
    const id = await insertRow(manager, Issue, {
      ...issue,
      keyId,
      threadId,
      created: now,
      updatedUserId: issue.createdUserId,
      updated: now,
    });
    return { id, threadId, keyId };
  }

  private async attach(
    manager: EntityManager,
    issue: IssueSubject,
    caller: Caller,
    attachmentIds: readonly number[],
  ): Promise<AttachmentDto[]> {
    const attached = await this.attachments.claim(manager, caller, attachmentIds, 'attachmentId');
    if (attached.length > 0) {
      const rows = attached.map((file) => ({ attachmentId: file.id, issueId: issue.id }));
      await insertRows(manager, IssueAttachment, rows);
    }
    return attached;
  }
}
