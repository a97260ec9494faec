import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { ActivitiesService } from '../../activities/activities.service';
import { addition, attachmentAddition } from '../../activities/activity-content';
import { ActivityType } from '../../activities/activity-type';
import { CommentPostingService } from '../../comments/comment-posting.service';
import { CommentsService } from '../../comments/comments.service';
import { type CommentDto } from '../../comments/dto/comment.dto';
import { notFoundIfDeleted } from '../../database/connections/database-errors';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { NoResourceError } from '../../errors/domain-errors';
import { type Requester } from '../../event-loop/user-turns';
import { type IdPageQuery } from '../../http/request/page-query';
import { type NotificationDto } from '../../notifications/dto/notification.dto';
import { NotificationReason } from '../../notifications/notification-reason';
import { Page } from '../../paging/page';
import { ProjectPeopleService } from '../../projects/project-people.service';
import { type Caller } from '../../access/caller';
import { type AddIssueCommentDto } from '../dto/add-issue-comment.dto';
import { type IssueCommentDto } from '../dto/issue-comment.dto';
import { IssueRepository } from '../data/issue.repository';
import { issueCommentActivity } from '../issue-activity';
import { type IssueHeadRow } from '../issue.mapper';
import { type IssueCommentResource } from './issue-comment.loader';
import { ISSUE_FILES } from '../attachments/issue-files';
import { ISSUE_COMMENTED } from './issue-comment-kinds';
import { WatchersService } from '../watchings/watchers.service';
import { type DescribedIssueResource, type IssueResource } from '../issue.loader';

/** Manages the comments of issues. */
@Injectable()
export class IssueCommentsService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly people: ProjectPeopleService,
    private readonly comments: CommentsService,
    private readonly posting: CommentPostingService,
    private readonly activities: ActivitiesService,
    private readonly issues: IssueRepository,
    private readonly watchers: WatchersService,
  ) {}

  /** Returns one page of an issue's comments. */
  async list(issue: IssueResource, query: IdPageQuery, requester: Requester): Promise<Page<IssueCommentDto>> {
    const { items, next } = await this.comments.list(issue.threadId, query, requester);
    return new Page(
      items.map((comment) => onIssue(comment, issue)),
      next,
    );
  }

  /** Returns the number of comments of an issue. */
  async count(issue: IssueResource): Promise<{ count: number }> {
    return { count: await this.comments.count(issue.threadId) };
  }

  /** Returns one comment. */
  async get({ commentId, parent }: IssueCommentResource, requester: Requester): Promise<IssueCommentDto> {
    return onIssue(await this.comments.get(commentId, requester), parent);
  }

  /** Returns the notifications of a comment. */
  listNotifications({ commentId }: IssueCommentResource): Promise<NotificationDto[]> {
    return this.comments.listNotifications(commentId);
  }

  /**
   * Adds a comment with its files, notifies the users that it names or mentions, and records activity 3
   * (`docs/protocol.md#add-a-comment-to-an-issue`).
   * @throws InvalidRequestError for a user or file that cannot be used; nothing is stored
   */
  async add(issue: DescribedIssueResource, caller: Caller, body: AddIssueCommentDto): Promise<CommentDto> {
    const people = await this.people.peopleOf(issue.projectId, caller, body, { text: body.content });
    const work = this.transactions.run(async (manager) => {
      const created = Date.now();
      const comment = await this.posting.post(manager, issue, caller, {
        kind: ISSUE_COMMENTED,
        content: body.content,
        files: { link: ISSUE_FILES, attachmentIds: body.attachmentId },
        people,
        created,
        describe: (written, attached) => ({
          type: ActivityType.IssueCommented,
          content: issueCommentActivity(issue, written, attached.map(attachmentAddition), attached),
        }),
      });
      // The last statement unless the issue has watchers, because it blocks concurrent comments on the issue until the commit.
      const edit = { updatedUserId: caller.id, updated: created };
      if (!(await this.issues.recordUnlockedEdit(manager, issue.id, edit)))
        throw new NoResourceError('issue');
      if (issue.isWatched) {
        await this.watchers.notify(manager, issue, {
          senderId: caller.id,
          reason: NotificationReason.IssueCommented,
          commentId: comment.id,
          notified: people.notified.map(({ id }) => id),
        });
      }
      return comment;
    });
    // For speed, the issue is not locked at the start. If it is deleted concurrently, its thread no longer exists and the insert fails.
    return notFoundIfDeleted(work, 'issue');
  }

  /** Changes the text of a comment. Notifies no users. */
  async update(
    comment: IssueCommentResource,
    caller: Caller,
    content: string,
    requester: Requester,
  ): Promise<IssueCommentDto> {
    await this.transactions.run((manager) =>
      this.comments.updateContent(manager, comment.commentId, caller, content),
    );
    return this.get(comment, requester);
  }

  /** Removes a comment and returns its last state. Files that were added with it stay on the issue. */
  async delete({ commentId, parent }: IssueCommentResource): Promise<IssueCommentDto> {
    const removed = await this.transactions.run((manager) => this.comments.remove(manager, commentId));
    return onIssue(removed, parent);
  }

  /**
   * Notifies the users who have not been notified of the comment yet, and records activity 17 if there are any
   * (`docs/protocol.md#add-notifications-to-an-issue-comment`).
   * @throws InvalidRequestError for a user who cannot be notified; nothing is stored
   */
  async addNotifications(
    { commentId, parent: issue }: IssueCommentResource,
    caller: Caller,
    userIds: readonly number[],
    requester: Requester,
  ): Promise<CommentDto> {
    const users = await this.people.getNotifiable(issue.projectId, caller, userIds, 'notifiedUserId');
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
        ...added.map(ISSUE_COMMENTED.notificationEntry),
      ]);
      await this.activities.record(manager, {
        projectId: issue.projectId,
        type: ActivityType.CommentNotificationAdded,
        content: issueCommentActivity(
          head,
          { id: commentId, content: comment.content },
          added.map((user) => addition('notification', user.name)),
        ),
        author: caller,
      });
    });
    await notFoundIfDeleted(work, 'issue');
    return this.comments.get(commentId, requester);
  }

  /**
   * Returns the issue with its current texts.
   * @throws NoResourceError when it no longer exists
   */
  private async headOf(manager: EntityManager, issue: IssueResource): Promise<IssueHeadRow> {
    const texts = await this.issues.findTexts(issue.id, manager);
    if (!texts) throw new NoResourceError('issue');
    return { ...issue, ...texts };
  }
}

const onIssue = (comment: CommentDto, { id, projectId }: IssueResource): IssueCommentDto => ({
  ...comment,
  projectId,
  issueId: id,
});
