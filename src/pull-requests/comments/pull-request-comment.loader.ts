import { commentOf, type CommentResource } from '../../comments/comment.loader';
import { PullRequestLoader, type PullRequestResource } from '../pull-request.loader';

/** A comment of a pull request that the path names. */
export type PullRequestCommentResource = CommentResource<PullRequestResource>;

/** Finds the comment of `…/pullRequests/{number}/comments/{commentId}`. */
export const PullRequestCommentLoader = commentOf(PullRequestLoader);
