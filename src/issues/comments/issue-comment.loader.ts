import { commentOf, type CommentResource } from '../../comments/comment.loader';
import { IssueLoader, type IssueResource } from '../issue.loader';

/** The issue comment that the path identifies. */
export type IssueCommentResource = CommentResource<IssueResource>;

/** Loads the comment of `/issues/{issueIdOrKey}/comments/{commentId}`. */
export const IssueCommentLoader = commentOf(IssueLoader);
