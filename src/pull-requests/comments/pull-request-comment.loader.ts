import { commentOf, type CommentResource } from '../../comments/comment.loader';
import { PullRequestLoader, type PullRequestResource } from '../pull-request.loader';

/** The comment of a pull request in a request's path. */
export type PullRequestCommentResource = CommentResource<PullRequestResource>;

/** Finds the comment of `…/pullRequests/{number}/comments/{commentId}`. */
export const PullRequestCommentLoader = commentOf(PullRequestLoader);
