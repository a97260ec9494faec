import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { pastChangeOf } from '../access/past-change';
import {
  type NewNotificationRow,
  NotificationRepository,
  type NotificationRow,
} from './data/notification.repository';
import { type NotificationReason } from './notification-reason';

/** The content of a new notification. */
export interface NewNotification {
  projectId: number;
  /** The thread of an issue, pull request or document; null if it is about none of them. */
  threadId: number | null;
  /** The user who caused it; null if no user did, and each notified user becomes the sender. */
  senderId: number | null;
  reason: NotificationReason;
  /** The subject, if there is no thread. */
  text?: string;
  /** The comment that describes a change for a watcher. */
  watchedCommentId?: number;
}

/** Writes and removes notifications, and reads those of comments. Nobody is notified of a past change. */
@Injectable()
export class NotificationsService {
  constructor(private readonly notifications: NotificationRepository) {}

  /** Notifies users of something that is not a comment. */
  async add(manager: EntityManager, userIds: readonly number[], subject: NewNotification): Promise<void> {
    if (userIds.length === 0 || pastChangeOf(manager)) return;
    await this.notifications.insert(manager, newRows(userIds, subject, null));
  }

  /** Notifies users of a comment, each at most once per comment; returns the notifications. */
  async addForComment(
    manager: EntityManager,
    userIds: readonly number[],
    subject: NewNotification,
    commentId: number,
  ): Promise<NotificationRow[]> {
    if (userIds.length === 0 || pastChangeOf(manager)) return [];
    return this.notifications.insertOfComment(manager, commentId, newRows(userIds, subject, commentId));
  }

  /** Returns the notifications of a comment, oldest first. */
  findByComment(commentId: number, manager?: EntityManager): Promise<NotificationRow[]> {
    return this.notifications.findByComment(commentId, manager);
  }

  /** Removes up to `limit` notifications of threads and returns their number. */
  removeOfThreads(manager: EntityManager, threadIds: readonly number[], limit: number): Promise<number> {
    return this.notifications.deleteOfThreads(manager, threadIds, limit);
  }
}

function newRows(
  userIds: readonly number[],
  { projectId, threadId, senderId, reason, text = '', watchedCommentId }: NewNotification,
  commentId: number | null,
): NewNotificationRow[] {
  const created = Date.now();
  return userIds.map((userId) => ({
    projectId,
    threadId,
    commentId,
    watchedCommentId: watchedCommentId ?? null,
    senderId: senderId ?? userId,
    text,
    userId,
    reason,
    alreadyRead: false,
    resourceAlreadyRead: false,
    created,
  }));
}
