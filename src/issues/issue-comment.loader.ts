import { commentOf, type CommentSubject } from '../comments/comment.loader';
import { IssueLoader, type IssueSubject } from './issue.loader';

/** A comment of an issue that the path names. */
export type IssueCommentSubject = CommentSubject<IssueSubject>;

/** Finds the comment of `/issues/{issueIdOrKey}/comments/{commentId}`. */
export const IssueCommentLoader = commentOf(IssueLoader);
