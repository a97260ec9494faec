import { Injectable } from '@nestjs/common';
import { type AccessSubject, type PathParameters, type ResourceResolver } from '../access/access';
import { CommentsService } from '../comments/comments.service';
import { type Caller } from '../users/caller';
import { IssueResolver, type IssueSubject } from './issue.resolver';

/** A comment of an issue that the path names. */
export interface IssueCommentSubject extends AccessSubject {
  commentId: number;
  issue: IssueSubject;
}

/** Finds the comment of `/issues/{issueIdOrKey}/comments/{commentId}`. */
@Injectable()
export class IssueCommentResolver implements ResourceResolver<IssueCommentSubject> {
  constructor(
    private readonly issues: IssueResolver,
    private readonly comments: CommentsService,
  ) {}

  async resolve(parameters: PathParameters, caller: Caller): Promise<IssueCommentSubject> {
    const issue = await this.issues.resolve(parameters, caller);
    const comment = await this.comments.getInThread(issue.threadId, parameters.commentId);
    return {
      commentId: comment.id,
      ownerId: comment.createdUserId,
      isProjectAdministrator: issue.isProjectAdministrator,
      issue,
    };
  }
}
