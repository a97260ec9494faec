import { Injectable } from '@nestjs/common';
import { attachmentAddition } from '../../activities/activity-content';
import { ActivityType } from '../../activities/activity-type';
import { CommentPostingService } from '../../comments/comment-posting.service';
import { CommentsService } from '../../comments/comments.service';
import { type CommentDto } from '../../comments/dto/comment.dto';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { type Requester } from '../../event-loop/user-turns';
import { type CountDto } from '../../http/response/count.dto';
import { type IdPageQuery } from '../../http/request/page-query';
import { type Page } from '../../paging/page';
import { type Caller } from '../../access/caller';
import { type AddPullRequestCommentDto } from '../dto/add-pull-request-comment.dto';
import { type UpdatePullRequestCommentDto } from '../dto/update-pull-request-comment.dto';
import { type PullRequestCommentResource } from './pull-request-comment.loader';
import { PullRequestEventsService } from '../pull-request-events.service';
import { PULL_REQUEST_COMMENTED } from './pull-request-comment-kinds';
import { PULL_REQUEST_FILES } from '../attachments/pull-request-files';
import { PullRequestRepository } from '../data/pull-request.repository';
import { type PullRequestResource } from '../pull-request.loader';

/** Lists, adds and updates comments on pull requests. */
@Injectable()
export class PullRequestCommentsService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly comments: CommentsService,
    private readonly posting: CommentPostingService,
    private readonly events: PullRequestEventsService,
    private readonly pullRequests: PullRequestRepository,
  ) {}

  /** Lists the comments of a pull request (`docs/protocol.md#list-the-comments-of-a-pull-request`). */
  list(
    pullRequest: PullRequestResource,
    query: IdPageQuery,
    requester: Requester,
  ): Promise<Page<CommentDto>> {
    return this.comments.list(pullRequest.threadId, query, requester);
  }

  /** Returns the number of comments on a pull request. */
  async count(pullRequest: PullRequestResource): Promise<CountDto> {
    return { count: await this.comments.count(pullRequest.threadId) };
  }

  /**
   * Adds a comment with its notifications and files, and writes activity 20.
   * @throws InvalidRequestError for an invalid user or file; nothing is stored
   */
  async add(
    { id, projectId }: PullRequestResource,
    caller: Caller,
    body: AddPullRequestCommentDto,
  ): Promise<CommentDto> {
    const people = await this.events.peopleOf(projectId, caller, body, body.content);
    return this.transactions.run(async (manager) => {
      const pullRequest = await this.pullRequests.lock(manager, id);
      const created = Date.now();
      const comment = await this.posting.post(manager, pullRequest, caller, {
        kind: PULL_REQUEST_COMMENTED,
        content: body.content,
        files: { link: PULL_REQUEST_FILES, attachmentIds: body.attachmentId },
        people,
        created,
        describe: (written, attached) =>
          this.events.describe(manager, pullRequest, {
            type: ActivityType.PullRequestCommented,
            comment: written,
            changes: attached.map(attachmentAddition),
          }),
      });
      await this.pullRequests.update(manager, id, { updatedUserId: caller.id, updated: created });
      return comment;
    });
  }

  /**
   * Updates the text of a comment, and notifies those of the given users who have not been notified of it; writes no activity
   * (`docs/decisions/0009-activities-and-notifications.md`).
   * @throws InvalidRequestError for a user who cannot be notified; nothing is stored
   */
  async update(
    { commentId, parent: { projectId, threadId } }: PullRequestCommentResource,
    caller: Caller,
    { content, notifiedUserId }: UpdatePullRequestCommentDto,
    requester: Requester,
  ): Promise<CommentDto> {
    const { notified } = await this.events.peopleOf(projectId, caller, { notifiedUserId });
    await this.transactions.run(async (manager) => {
      if (notified.length > 0) {
        const comment = await this.comments.lock(manager, commentId);
        const added = notified.filter(({ id }) => !comment.notifiedUserIds.has(id));
        const { reason, notificationEntry } = PULL_REQUEST_COMMENTED;
        const source = { id: commentId, projectId, threadId, senderId: caller.id };
        await this.comments.notify(manager, source, added, reason);
        await this.comments.updateChangeLog(manager, commentId, [
          ...comment.changeLog,
          ...added.map(notificationEntry),
        ]);
      }
      await this.comments.updateContent(manager, commentId, caller, content);
    });
    return this.comments.get(commentId, requester);
  }
}
