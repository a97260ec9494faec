import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { ActivitiesService } from '../../activities/activities.service';
import { addition } from '../../activities/activity-content';
import { ActivityType } from '../../activities/activity-type';
import { AttachmentLinksService } from '../../attachments/attachment-links.service';
import { attachmentChange, notificationChange } from '../../comments/change-log';
import { CommentsService } from '../../comments/comments.service';
import { type CommentDto, type NotificationDto } from '../../comments/dto/comment.dto';
import { NotificationReason } from '../../comments/notification-reason';
import { notFoundIfDeleted } from '../../database/database-errors';
import { affectedRows } from '../../database/statements';
import { TransactionsService } from '../../database/transactions.service';
import { NoResourceError } from '../../errors/domain-errors';
import { type Requester } from '../../event-loop/user-turns';
import { type IdPageQuery } from '../../http/request/page-query';
import { type Page } from '../../paging/page';
import { ProjectPeopleService } from '../../projects/project-people.service';
import { type Caller } from '../../access/caller';
import { type AddIssueCommentDto } from '../dto/add-issue-comment.dto';
import { type DescribedIssue, issueCommentActivity } from '../issue-activity';
import { type IssueCommentResource } from './issue-comment.loader';
import { ISSUE_FILES } from '../attachments/issue-files';
import { type DescribedIssueResource, type IssueResource } from '../issue.loader';

/** The comments of issues. */
@Injectable()
export class IssueCommentsService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly people: ProjectPeopleService,
    private readonly comments: CommentsService,
    private readonly files: AttachmentLinksService,
    private readonly activities: ActivitiesService,
  ) {}

  /** One page of an issue's comments. */
  list(issue: IssueResource, query: IdPageQuery, requester: Requester): Promise<Page<CommentDto>> {
    return this.comments.list(issue.threadId, query, requester);
  }

  /** How many comments an issue has. */
  async count(issue: IssueResource): Promise<{ count: number }> {
    return { count: await this.comments.count(issue.threadId) };
  }

  /** One comment. */
  get({ commentId }: IssueCommentResource, requester: Requester): Promise<CommentDto> {
    return this.comments.get(commentId, requester);
  }

  /** Who has been told of a comment. */
  listNotifications({ commentId }: IssueCommentResource): Promise<NotificationDto[]> {
    return this.comments.listNotifications(commentId);
  }

  /**
   * Adds a comment with its files, notifies whom it names or mentions, and writes activity 3
   * (`docs/protocol.md#add-a-comment-to-an-issue`).
   * @throws InvalidRequestError for a user or a file that cannot be used; nothing is stored
   */
  async add(issue: DescribedIssueResource, caller: Caller, body: AddIssueCommentDto): Promise<CommentDto> {
    const { users, notified } = await this.people.peopleOf(issue.projectId, caller.id, body, {
      text: body.content,
    });
    const work = this.transactions.run(async (manager) => {
      const attached = await this.files.attach(manager, ISSUE_FILES, issue.id, caller, body.attachmentId);
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
      await markUpdated(manager, issue.id, caller, comment.created);
      return dto;
    });
    // The issue is not held from the start, for the sake of speed; who removes it takes what its comments hang on.
    return notFoundIfDeleted(work, 'issue');
  }

  /** Changes the text of a comment. Nobody is notified. */
  async update(
    { commentId }: IssueCommentResource,
    content: string,
    requester: Requester,
  ): Promise<CommentDto> {
    await this.transactions.run((manager) => this.comments.updateContent(manager, commentId, content));
    return this.comments.get(commentId, requester);
  }

  /** Removes a comment and gives what it was. The files that came with it stay on the issue. */
  delete({ commentId }: IssueCommentResource): Promise<CommentDto> {
    return this.transactions.run((manager) => this.comments.remove(manager, commentId));
  }

  /**
   * Notifies who was not notified of the comment yet, and writes activity 17 if there is anyone
   * (`docs/protocol.md#add-notifications-to-an-issue-comment`).
   * @throws InvalidRequestError for a user who cannot be notified; nothing is stored
   */
  async addNotifications(
    { commentId, parent: issue }: IssueCommentResource,
    caller: Caller,
    userIds: readonly number[],
    requester: Requester,
  ): Promise<CommentDto> {
    const users = await this.people.getNotifiable(issue.projectId, userIds, 'notifiedUserId');
    const work = this.transactions.run(async (manager) => {
      const comment = await this.comments.lock(manager, commentId);
      const added = users.filter((user) => !comment.notifiedUserIds.has(user.id));
      if (added.length === 0) return;
      const head = await this.headOf(manager, issue);
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
          head,
          { id: commentId, content: comment.content },
          added.map((user) => addition('notification', user.name)),
        ),
        createdUserId: caller.id,
        created: Date.now(),
      });
    });
    await notFoundIfDeleted(work, 'issue');
    return this.comments.get(commentId, requester);
  }

  /**
   * What activities say of the issue, as it is now.
   * @throws NoResourceError when it is gone
   */
  private async headOf(manager: EntityManager, issue: IssueResource): Promise<DescribedIssue> {
    const [row] = await manager.query<Pick<DescribedIssue, 'summary' | 'description'>[]>(
      'SELECT summary, description FROM issue WHERE id = ?',
      [issue.id],
    );
    if (!row) throw new NoResourceError('issue');
    return { ...issue, ...row };
  }
}

/**
 * The issue has changed with its comment. The last statement, because others who comment on it wait from here, and who began
 * earlier may come later.
 * @throws NoResourceError when the issue is gone
 */
async function markUpdated(
  manager: EntityManager,
  issueId: number,
  caller: Caller,
  updated: number,
): Promise<void> {
  const found = await affectedRows(
    manager,
    `UPDATE issue SET updated = CASE WHEN updated < ? THEN ? ELSE updated END, updated_user_id = ? WHERE id = ?`,
    [updated, updated, caller.id, issueId],
  );
  if (found === 0) throw new NoResourceError('issue');
}
