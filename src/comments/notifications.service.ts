import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { insertRows, placeholders, type StatementRunner } from '../database/statements';
import { type NotificationRow } from './comment.mapper';
import { Notification } from './entities/notification.entity';
import { type NotificationReason } from './notification-reason';

/** What users are told of: a comment, or what a text says. */
export interface NewNotification {
  reason: NotificationReason;
  commentId?: number;
  text?: string;
}

/** Who has been told of what. */
@Injectable()
export class NotificationsService {
  /** Tells users. Of a comment, each may be told once. */
  async add(
    manager: EntityManager,
    userIds: readonly number[],
    notification: NewNotification,
  ): Promise<void> {
    if (userIds.length === 0) return;
    const created = Date.now();
    await insertRows(
      manager,
      Notification,
      userIds.map((userId) => ({
        commentId: notification.commentId ?? null,
        text: notification.text ?? '',
        userId,
        reason: notification.reason,
        alreadyRead: false,
        resourceAlreadyRead: false,
        created,
      })),
    );
  }

  /** The notifications of comments, in one query. */
  findByComments(runner: StatementRunner, commentIds: readonly number[]): Promise<NotificationRow[]> {
    return runner.query<NotificationRow[]>(
      `SELECT id, comment_id AS commentId, user_id AS userId, reason, already_read AS alreadyRead,
              resource_already_read AS resourceAlreadyRead
         FROM notification WHERE comment_id IN (${placeholders(commentIds)}) ORDER BY id`,
      [...commentIds],
    );
  }
}
