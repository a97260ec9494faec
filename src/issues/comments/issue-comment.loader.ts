import { commentOf, type CommentResource } from '../../comments/comment.loader';
import { IssueLoader, type IssueResource } from '../issue.loader';

/** The comment of an issue that the path names. */
export type IssueCommentResource = CommentResource<IssueResource>;

/** Finds the comment of `/issues/{issueIdOrKey}/comments/{commentId}`. */
export const IssueCommentLoader = commentOf(IssueLoader);
