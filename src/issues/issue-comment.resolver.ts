import { commentOf, type CommentSubject } from '../comments/comment.resolver';
import { IssueResolver, type IssueSubject } from './issue.resolver';

/** A comment of an issue that the path names. */
export type IssueCommentSubject = CommentSubject<IssueSubject>;

/** Finds the comment of `/issues/{issueIdOrKey}/comments/{commentId}`. */
export const IssueCommentResolver = commentOf(IssueResolver);
