import { Injectable } from '@nestjs/common';
import { type AccessSubject, type PathParameters, type ResourceResolver } from '../access/access';
import { CommentsService } from '../comments/comments.service';
import { type Caller } from '../users/caller';
import { PullRequestResolver } from './pull-request.resolver';

/** A comment of a pull request that the path names. */
export interface PullRequestCommentSubject extends AccessSubject {
  commentId: number;
}

/** Finds the comment of `…/pullRequests/{number}/comments/{commentId}`. */
@Injectable()
export class PullRequestCommentResolver implements ResourceResolver<PullRequestCommentSubject> {
  constructor(
    private readonly pullRequests: PullRequestResolver,
    private readonly comments: CommentsService,
  ) {}

  async resolve(parameters: PathParameters, caller: Caller): Promise<PullRequestCommentSubject> {
    const pullRequest = await this.pullRequests.resolve(parameters, caller);
    const comment = await this.comments.getInThread(pullRequest.threadId, parameters.commentId);
    return {
      commentId: comment.id,
      ownerId: comment.createdUserId,
      isProjectAdministrator: pullRequest.isProjectAdministrator,
    };
  }
}
