import { commentOf, type CommentSubject } from '../comments/comment.loader';
import { PullRequestLoader, type PullRequestSubject } from './pull-request.loader';

/** A comment of a pull request that the path names. */
export type PullRequestCommentSubject = CommentSubject<PullRequestSubject>;

/** Finds the comment of `…/pullRequests/{number}/comments/{commentId}`. */
export const PullRequestCommentLoader = commentOf(PullRequestLoader);
