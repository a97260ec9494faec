import { notificationEntry } from '../../comments/change-log';
import { type CommentKind } from '../../comments/comment-posting.service';
import { NotificationReason } from '../../notifications/notification-reason';

/** A comment that changes no field. */
export const ISSUE_COMMENTED: CommentKind = {
  reason: NotificationReason.IssueCommented,
  notificationEntry: notificationEntry('issue.comment'),
};

/** The comment that records an update. */
export const ISSUE_UPDATED: CommentKind = {
  reason: NotificationReason.IssueUpdated,
  notificationEntry: notificationEntry('issue.update'),
};
