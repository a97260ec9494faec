import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { canReturnRows, insertRows, insertRowsReturning, selectRows } from '../../database/sql/rows';
import { type EntityRunner, inList } from '../../database/sql/statements';
import { Notification } from '../entities/notification.entity';
import { NOTIFICATION_KEYS } from './notification-sql';

const SHOWN_KEYS = ['id', 'commentId', ...NOTIFICATION_KEYS] as const;

/** The columns of a comment's notification that responses show. */
export type NotificationRow = Pick<Notification, (typeof SHOWN_KEYS)[number]>;

/** A new notification. */
export type NewNotificationRow = Omit<Notification, 'id' | 'thread' | 'comment' | 'user'>;

/** Repository that writes notifications and reads those of comments. */
@Injectable()
export class NotificationRepository {
  constructor(private readonly dataSource: DataSource) {}

  async insert(manager: EntityManager, rows: readonly NewNotificationRow[]): Promise<void> {
    await insertRows(manager, Notification, rows);
  }

  /** Inserts notifications with one subject, and returns their ids. */
  async insertReturningIds(manager: EntityManager, rows: readonly NewNotificationRow[]): Promise<number[]> {
    const idsOf = (written: readonly { id: number }[]): number[] => written.map(({ id }) => id);
    if (canReturnRows(manager)) return idsOf(await insertRowsReturning(manager, Notification, rows, ['id']));
    const firstId = await insertRows(manager, Notification, rows);
    const [{ created, reason, projectId }] = rows as [NewNotificationRow];
    const users = inList(rows.map(({ userId }) => userId));
    // The ids are not consecutive on every server. Another transaction does not commit the same in the same millisecond.
    const condition = `WHERE user_id ${users.sql} AND id >= ? AND created = ? AND reason = ? AND project_id = ?`;
    const parameters = [...users.parameters, firstId, created, reason, projectId];
    return idsOf(await selectRows(manager, Notification, ['id'], condition, parameters));
  }

  /** Inserts notifications of one comment and returns them, oldest first. */
  async insertOfComment(
    manager: EntityManager,
    commentId: number,
    rows: readonly NewNotificationRow[],
  ): Promise<NotificationRow[]> {
    if (canReturnRows(manager)) {
      const written = await insertRowsReturning(manager, Notification, rows, SHOWN_KEYS);
      return written.sort((one, other) => one.id - other.id);
    }
    await insertRows(manager, Notification, rows);
    const userIds = new Set(rows.map((row) => row.userId));
    return (await this.findByComment(commentId, manager)).filter((row) => userIds.has(row.userId));
  }

  /** Returns the notifications of a comment, oldest first. */
  findByComment(commentId: number, runner: EntityRunner = this.dataSource): Promise<NotificationRow[]> {
    return selectRows(runner, Notification, SHOWN_KEYS, 'WHERE comment_id = ? ORDER BY id', [commentId]);
  }

  /**
   * Deletes the notifications from before a time, of the first `limit` that follow an id; returns the number read, or 0 if none of
   * them was old enough, and the id to continue after. Reads the table in the order of ids, which is that of time, but for those written at about the same time.
   */
  async deleteOlder(
    manager: EntityManager,
    before: number,
    { after, limit }: { after: number; limit: number },
  ): Promise<{ count: number; last: number }> {
    const rest = 'WHERE id > ? ORDER BY id LIMIT ?';
    const oldest = await selectRows(manager, Notification, ['id', 'created'], rest, [after, limit]);
    const ids = oldest.filter(({ created }) => created < before).map(({ id }) => id);
    if (ids.length > 0) await deleteByIds(manager, ids);
    return { count: ids.length === 0 ? 0 : oldest.length, last: oldest.at(-1)?.id ?? after };
  }

  /** Deletes up to `limit` notifications of threads and returns their number. */
  deleteOfThreads(manager: EntityManager, threadIds: readonly number[], limit: number): Promise<number> {
    const threads = inList(threadIds);
    return deleteWhere(manager, `thread_id ${threads.sql}`, threads.parameters, limit);
  }

  /**
   * Deletes up to `limit` notifications of a project without a thread and returns their number. Uses the index on threads:
   * there is none on projects, and such notifications are few.
   */
  deleteOfProject(manager: EntityManager, projectId: number, limit: number): Promise<number> {
    return deleteWhere(manager, 'thread_id IS NULL AND project_id = ?', [projectId], limit);
  }
}

async function deleteWhere(
  manager: EntityManager,
  condition: string,
  parameters: readonly unknown[],
  limit: number,
): Promise<number> {
  const rows = await selectRows(
    manager,
    Notification,
    ['id'],
    `WHERE ${condition} LIMIT ${limit}`,
    parameters,
  );
  if (rows.length === 0) return 0;
  await deleteByIds(
    manager,
    rows.map((row) => row.id),
  );
  return rows.length;
}

async function deleteByIds(manager: EntityManager, ids: readonly number[]): Promise<void> {
  const list = inList(ids);
  await manager.query(`DELETE FROM notification WHERE id ${list.sql}`, list.parameters);
}
