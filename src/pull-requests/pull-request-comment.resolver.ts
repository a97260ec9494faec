import { commentOf, type CommentSubject } from '../comments/comment.resolver';
import { PullRequestResolver, type PullRequestSubject } from './pull-request.resolver';

/** A comment of a pull request that the path names. */
export type PullRequestCommentSubject = CommentSubject<PullRequestSubject>;

/** Finds the comment of `…/pullRequests/{number}/comments/{commentId}`. */
export const PullRequestCommentResolver = commentOf(PullRequestResolver);
