import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { CommentsService } from '../comments/comments.service';
import { type CommentDto } from '../comments/dto/comment.dto';
import { insertRow } from '../database/statements';
import { Transactions } from '../database/transactions';
import { type IdPageQuery, type Page } from '../http/paging';
import { PullRequest } from './entities/pull-request.entity';
import { type PullRequestCommentSubject } from './pull-request-comment.resolver';
import { type PullRequestSubject } from './pull-request.resolver';

/** A pull request to be written. */
export type NewPullRequest = Pick<
  PullRequest,
  'projectId' | 'repositoryId' | 'number' | 'summary' | 'description' | 'base' | 'branch' | 'createdUserId'
>;

/** Pull requests and their comments. */
@Injectable()
export class PullRequestsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly comments: CommentsService,
  ) {}

  /** Spec 4.1. */
  listComments(pullRequest: PullRequestSubject, query: IdPageQuery): Promise<Page<CommentDto>> {
    return this.comments.list(pullRequest.threadId, query);
  }

  /** Spec 4.2; emits nothing (decisions, section 6). */
  async updateComment({ commentId }: PullRequestCommentSubject, content: string): Promise<CommentDto> {
    await this.transactions.run((manager) => this.comments.updateContent(manager, commentId, content));
    return this.comments.get(commentId);
  }

  /** Adds a pull request and the thread of its comments. */
  async add(manager: EntityManager, pullRequest: NewPullRequest): Promise<{ id: number; threadId: number }> {
    const threadId = await this.comments.addThread(manager, pullRequest.projectId);
    const now = Date.now();
    const id = await insertRow(manager, PullRequest, {
      ...pullRequest,
      threadId,
      created: now,
      updatedUserId: pullRequest.createdUserId,
      updated: now,
    });
    return { id, threadId };
  }
}
