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

/**
 * Called in the transaction that adds notifications with one subject.
 * @param ids of the notifications
 */
export type NotificationsListener = (
  manager: EntityManager,
  ids: readonly number[],
  subject: NewNotification,
) => Promise<void>;

/** Writes and removes notifications, and reads those of comments. Nobody is notified of a past change. */
@Injectable()
export class NotificationsService {
  private readonly listeners: NotificationsListener[] = [];

  constructor(private readonly notifications: NotificationRepository) {}

  /** Registers a module that also tells users of their notifications. */
  onAdded(listener: NotificationsListener): void {
    this.listeners.push(listener);
  }

  /** Notifies users of something that is not a comment. */
  async add(manager: EntityManager, userIds: readonly number[], subject: NewNotification): Promise<void> {
    if (userIds.length === 0 || pastChangeOf(manager)) return;
    const rows = newRows(userIds, subject, null);
    if (this.listeners.length === 0) await this.notifications.insert(manager, rows);
    else await this.tell(manager, await this.notifications.insertReturningIds(manager, rows), subject);
  }

  /** Notifies users of a comment, each at most once per comment; returns the notifications. */
  async addForComment(
    manager: EntityManager,
    userIds: readonly number[],
    subject: NewNotification,
    commentId: number,
  ): Promise<NotificationRow[]> {
    if (userIds.length === 0 || pastChangeOf(manager)) return [];
    const rows = newRows(userIds, subject, commentId);
    const added = await this.notifications.insertOfComment(manager, commentId, rows);
    await this.tell(
      manager,
      added.map(({ id }) => id),
      subject,
    );
    return added;
  }

  private async tell(
    manager: EntityManager,
    ids: readonly number[],
    subject: NewNotification,
  ): Promise<void> {
    for (const listener of this.listeners) await listener(manager, ids, subject);
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
