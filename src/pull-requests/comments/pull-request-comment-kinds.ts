import {
  pullRequestNotificationChange,
  pullRequestUpdateNotificationChange,
} from '../../comments/change-log';
import { type CommentKind } from '../../comments/comment-posting.service';
import { NotificationReason } from '../../notifications/notification-reason';

/** A comment without a change of a field. */
export const PULL_REQUEST_COMMENTED: CommentKind = {
  reason: NotificationReason.PullRequestCommented,
  notificationEntry: pullRequestNotificationChange,
};

/** The comment that an update writes. */
export const PULL_REQUEST_UPDATED: CommentKind = {
  reason: NotificationReason.PullRequestUpdated,
  notificationEntry: pullRequestUpdateNotificationChange,
};
