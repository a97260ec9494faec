import { notificationEntry } from '../../comments/change-log';
import { type CommentKind } from '../../comments/comment-posting.service';
import { NotificationReason } from '../../notifications/notification-reason';

/** A comment without field changes. */
export const PULL_REQUEST_COMMENTED: CommentKind = {
  reason: NotificationReason.PullRequestCommented,
  notificationEntry: notificationEntry('pullRequest.comment'),
};

/** A comment written by an update. */
export const PULL_REQUEST_UPDATED: CommentKind = {
  reason: NotificationReason.PullRequestUpdated,
  notificationEntry: notificationEntry('pullRequest.update'),
};
