import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { canReturnRows, insertRows, insertRowsReturning } from '../database/rows';
import { inList, type StatementRunner } from '../database/statements';
import { type NotificationRow } from './comment.mapper';
import { Notification } from './entities/notification.entity';
import { type NotificationReason } from './notification-reason';

/** What users are told of. */
export interface NewNotification {
  projectId: number;
  /** The or pull request's; null where it is about neither. */
  threadId: number | null;
  /** Who did it; null where nobody did, and each user counts as their own sender. */
  senderId: number | null;
  reason: NotificationReason;
  /** What it is about, where there is no thread. */
  text?: string;
}

const NOTIFICATION_COLUMNS = `id, comment_id AS commentId, user_id AS userId, reason, already_read AS alreadyRead,
  resource_already_read AS resourceAlreadyRead`;

const NOTIFICATION_KEYS = [
  'id',
  'commentId',
  'userId',
  'reason',
  'alreadyRead',
  'resourceAlreadyRead',
] as const;

/** Who has been told of what. */
@Injectable()
export class NotificationsService {
  /** Tells users something that is no comment. */
  async add(manager: EntityManager, userIds: readonly number[], told: NewNotification): Promise<void> {
    if (userIds.length === 0) return;
    await insertRows(manager, Notification, newRows(userIds, told, null));
  }

  /** Tells users of a comment, each of whom may be told of it once; gives what was written. */
  async addForComment(
    manager: EntityManager,
    userIds: readonly number[],
    told: NewNotification,
    commentId: number,
  ): Promise<NotificationRow[]> {
    if (userIds.length === 0) return [];
    const rows = newRows(userIds, told, commentId);
    if (canReturnRows(manager)) {
      const written = await insertRowsReturning(manager, Notification, rows, NOTIFICATION_KEYS);
      return (written as NotificationRow[]).sort((one, other) => one.id - other.id);
    }
    await insertRows(manager, Notification, rows);
    const known = new Set(userIds);
    return (await this.findByComments(manager, [commentId])).filter((row) => known.has(row.userId));
  }

  /** The notifications of comments, in one query. */
  findByComments(runner: StatementRunner, commentIds: readonly number[]): Promise<NotificationRow[]> {
    const list = inList(commentIds);
    return runner.query<NotificationRow[]>(
      `SELECT ${NOTIFICATION_COLUMNS} FROM notification WHERE comment_id ${list.sql} ORDER BY id`,
      list.parameters,
    );
  }
}

function newRows(
  userIds: readonly number[],
  { projectId, threadId, senderId, reason, text = '' }: NewNotification,
  commentId: number | null,
): Omit<Notification, 'id'>[] {
  const created = Date.now();
  return userIds.map((userId) => ({
    projectId,
    threadId,
    commentId,
    senderId: senderId ?? userId,
    text,
    userId,
    reason,
    alreadyRead: false,
    resourceAlreadyRead: false,
    created,
  }));
}
