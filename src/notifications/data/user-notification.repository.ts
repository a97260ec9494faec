import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Conditions } from '../../database/sql/conditions';
import { countRows, idPage } from '../../database/sql/list-page';
import { entityColumns, hydrateRows, updateRow } from '../../database/sql/rows';
import { affectedRows, inList, using } from '../../database/sql/statements';
import { MANIFESTS } from '../../manifests';
import { type IdPaging, Page } from '../../paging/page';
import { visibleProjectIds } from '../../projects/visibility';
import { type Caller } from '../../access/caller';
import { DEVELOPERS } from '../../access/role-type';
import { Notification } from '../entities/notification.entity';

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

/** The columns of a notification for its user. */
export type UserNotificationRow = Pick<Notification, (typeof SHOWN_KEYS)[number]>;

/** Filter for a user's notifications; omitted fields match everything. */
export type NotificationFilter = Partial<
  Pick<Notification, 'senderId' | 'alreadyRead' | 'resourceAlreadyRead'>
>;

/** Reasons of notifications that not every role may see. */
const DEVELOPER_REASONS = MANIFESTS.flatMap(({ developerReasons = [] }) => developerReasons);

/** Repository of a user's notifications about resources that the user may still see. */
@Injectable()
export class UserNotificationRepository {
  /** In the order of a user's notifications. MariaDB would otherwise read the whole table from its end to avoid a sort. */
  private readonly inOrder: string;
  /** In the order of what a user has read. */
  private readonly byState: string;

  constructor(private readonly dataSource: DataSource) {
    this.inOrder = `notification n ${using(dataSource, 'ix_notification_of_user')}`;
    this.byState = `notification n ${using(dataSource, 'ix_notification_of_user_by_state')}`;
  }

  /** Returns one page of the caller's notifications. */
  async findPage(
    caller: Caller,
    filter: NotificationFilter,
    query: IdPaging,
  ): Promise<Page<UserNotificationRow>> {
    const select = entityColumns(this.dataSource, Notification, SHOWN_KEYS, 'n');
    const source = { select, from: this.inOrder, conditions: conditionsOf(caller, filter) };
    const { items, next } = await idPage<UserNotificationRow>(this.dataSource, source, query, 'n.id');
    return new Page(await hydrateRows(this.dataSource, Notification, SHOWN_KEYS, items), next);
  }

  /** Counts the caller's notifications. */
  count(caller: Caller, filter: NotificationFilter): Promise<number> {
    const conditions = conditionsOf(caller, filter);
    if (filter.alreadyRead === undefined && filter.resourceAlreadyRead === undefined)
      return countRows(this.dataSource, { from: this.inOrder, conditions });
    // The index has the second state in order only for one value of the first.
    if (filter.alreadyRead === undefined) conditions.in('n.already_read', [false, true]);
    return countRows(this.dataSource, { from: this.byState, conditions });
  }

  /** Whether a notification belongs to the caller, and its subject is visible to the caller. */
  async isVisible(caller: Caller, id: number): Promise<boolean> {
    const conditions = conditionsOf(caller, {}).add('n.id = ?', id);
    return (await countRows(this.dataSource, { from: 'notification n', conditions })) > 0;
  }

  /** Returns the ids of the caller's first unread notifications with ids larger than `after`. */
  async findUnreadIds(caller: Caller, after: number, limit: number): Promise<number[]> {
    const unread = conditionsOf(caller, { alreadyRead: false }).add('n.id > ?', after);
    const rows = await this.dataSource.query<{ id: number }[]>(
      `SELECT n.id AS id FROM ${this.inOrder} ${unread.where} ORDER BY n.id LIMIT ${limit}`,
      unread.parameters,
    );
    return rows.map((row) => row.id);
  }

  /** Marks a notification as read, and its subject as opened. */
  markAsRead(manager: EntityManager, id: number): Promise<void> {
    return updateRow(manager, Notification, id, { alreadyRead: true, resourceAlreadyRead: true });
  }

  /** Marks notifications as read and returns how many were unread. */
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
    // Before the projects, because engines check the conditions in this order.
    .addIf(filter.alreadyRead, 'n.already_read = ?')
    .addIf(filter.resourceAlreadyRead, 'n.resource_already_read = ?')
    .add(
      // The oldest notifications have no project: keys limited to projects do not see them.
      `(${caller.projectIds ? '' : 'n.project_id IS NULL OR '}n.project_id IN (${visible.sql}))`,
      ...visible.parameters,
    )
    .addIf(filter.senderId, 'n.sender_id = ?');
  if (!DEVELOPERS.includes(caller.roleType))
    conditions.add(`n.reason NOT IN (${DEVELOPER_REASONS.join(', ')})`);
  return conditions;
}
