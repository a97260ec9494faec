import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Conditions } from '../../database/conditions';
import { countRows, idPage } from '../../database/list-page';
import { entityColumns, hydrateRows, updateRow } from '../../database/rows';
import { affectedRows, inList, isEmbedded } from '../../database/statements';
import { type IdPaging, Page } from '../../paging/page';
import { visibleProjectIds } from '../../projects/visibility';
import { type Caller } from '../../access/caller';
import { DEVELOPERS } from '../../access/role-type';
import { Notification } from '../entities/notification.entity';
import { NotificationReason } from '../notification-reason';

const SHOWN_KEYS = [
  'id',
  'projectId',
  'threadId',
  'commentId',
  'watchedCommentId',
  'senderId',
  'reason',
  'alreadyRead',
  'resourceAlreadyRead',
  'created',
] as const;

/** A notification as its user is shown it. */
export type UserNotificationRow = Pick<Notification, (typeof SHOWN_KEYS)[number]>;

/** Which of a user's notifications to consider; a field that is not given does not restrict them. */
export type NotificationFilter = Partial<
  Pick<Notification, 'senderId' | 'alreadyRead' | 'resourceAlreadyRead'>
>;

/** Notifications about pull requests and comments on documents, which not every role may see (`docs/decisions/0004-access.md`). */
const DEVELOPER_REASONS = [
  NotificationReason.PullRequestAssigned,
  NotificationReason.PullRequestCommented,
  NotificationReason.PullRequestAdded,
  NotificationReason.PullRequestUpdated,
  NotificationReason.DocumentCommented,
  NotificationReason.DocumentCommentReplied,
];

/** The notifications of one user, as far as the user may still see what they are about. */
@Injectable()
export class UserNotificationRepository {
  private readonly table: string;

  constructor(private readonly dataSource: DataSource) {
    // MariaDB would rather read the whole table from its end than sort, and there is nothing to sort.
    this.table = `notification n ${isEmbedded(dataSource) ? '' : 'FORCE INDEX (ix_notification_of_user)'}`;
  }

  /** One page of the caller's notifications. */
  async findPage(
    caller: Caller,
    filter: NotificationFilter,
    query: IdPaging,
  ): Promise<Page<UserNotificationRow>> {
    const select = entityColumns(this.dataSource, Notification, SHOWN_KEYS, 'n');
    const source = { select, from: this.table, conditions: conditionsOf(caller, filter) };
    const { items, next } = await idPage<UserNotificationRow>(this.dataSource, source, query, 'n.id');
    return new Page(hydrateRows(this.dataSource, Notification, SHOWN_KEYS, items), next);
  }

  /** How many notifications the caller has. */
  count(caller: Caller, filter: NotificationFilter): Promise<number> {
    return countRows(this.dataSource, { from: this.table, conditions: conditionsOf(caller, filter) });
  }

  /** Whether a notification is the caller's, and about something that the caller may see. */
  async isVisible(caller: Caller, id: number): Promise<boolean> {
    const conditions = conditionsOf(caller, {}).add('n.id = ?', id);
    return (await countRows(this.dataSource, { from: 'notification n', conditions })) > 0;
  }

  /** The ids of the caller's first unread notifications with larger ids than `after`. */
  async findUnreadIds(caller: Caller, after: number, limit: number): Promise<number[]> {
    const unread = conditionsOf(caller, { alreadyRead: false }).add('n.id > ?', after);
    const rows = await this.dataSource.query<{ id: number }[]>(
      `SELECT n.id AS id FROM ${this.table} ${unread.where} ORDER BY n.id LIMIT ${limit}`,
      unread.parameters,
    );
    return rows.map((row) => row.id);
  }

  /** Marks a notification as read, and the thing that it is about as opened. */
  markAsRead(manager: EntityManager, id: number): Promise<void> {
    return updateRow(manager, Notification, id, { alreadyRead: true, resourceAlreadyRead: true });
  }

  /** Marks notifications as read, and returns how many were unread. */
  markUnreadAsRead(manager: EntityManager, ids: readonly number[]): Promise<number> {
    const list = inList(ids);
    return affectedRows(
      manager,
      `UPDATE notification SET already_read = ? WHERE already_read = ? AND id ${list.sql}`,
      [true, false, ...list.parameters],
    );
  }
}

function conditionsOf(caller: Caller, filter: NotificationFilter): Conditions {
  const visible = visibleProjectIds(caller);
  const conditions = new Conditions()
    .add('n.user_id = ?', caller.id)
    .add(`(n.project_id IS NULL OR n.project_id IN (${visible.sql}))`, ...visible.parameters)
    .addIf(filter.senderId, 'n.sender_id = ?')
    .addIf(filter.alreadyRead, 'n.already_read = ?')
    .addIf(filter.resourceAlreadyRead, 'n.resource_already_read = ?');
  if (!DEVELOPERS.includes(caller.roleType))
    conditions.add(`n.reason NOT IN (${DEVELOPER_REASONS.join(', ')})`);
  return conditions;
}
