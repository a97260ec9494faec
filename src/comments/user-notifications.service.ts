import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Conditions } from '../database/conditions';
import { inBatches } from '../database/in-batches';
import { countRows, idPage } from '../database/list-page';
import { affectedRows, columnsOf, inList, isEmbedded } from '../database/statements';
import { TransactionsService } from '../database/transactions.service';
import { type IdPageQuery } from '../http/request/page-query';
import { type Page } from '../paging/page';
import { visibleProjectIds } from '../projects/visibility';
import { type Caller } from '../access/caller';
import { DEVELOPERS } from '../access/role-type';
import { NotificationReason } from './notification-reason';

/** A notification as its user is shown it. */
export interface UserNotificationRow {
  id: number;
  projectId: number | null;
  threadId: number | null;
  commentId: number | null;
  senderId: number;
  reason: number;
  alreadyRead: number | boolean;
  resourceAlreadyRead: number | boolean;
  created: number;
}

/** Which of a user's notifications are meant; all that are not said. */
export interface NotificationFilter {
  senderId?: number;
  alreadyRead?: boolean;
  resourceAlreadyRead?: boolean;
}

const COLUMNS = columnsOf('n', [
  'id',
  'projectId',
  'threadId',
  'commentId',
  'senderId',
  'reason',
  'alreadyRead',
  'resourceAlreadyRead',
  'created',
]);

/** What tells of pull requests, which not every role may see (`docs/decisions/0004-access.md`). */
const GIT_REASONS = [
  NotificationReason.PullRequestAssigned,
  NotificationReason.PullRequestCommented,
  NotificationReason.PullRequestAdded,
  NotificationReason.PullRequestUpdated,
];

/** As many notifications are marked in one transaction. */
const BATCH = 1000;

/** What a user has been told, as far as they may still see what it is about. */
@Injectable()
export class UserNotificationsService {
  private readonly table: string;

  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TransactionsService,
  ) {
    // MariaDB would rather read the whole table from its end than sort, and there is nothing to sort.
    this.table = `notification n ${isEmbedded(dataSource) ? '' : 'FORCE INDEX (ix_notification_of_user)'}`;
  }

  /** One page of the caller's own. */
  list(caller: Caller, filter: NotificationFilter, query: IdPageQuery): Promise<Page<UserNotificationRow>> {
    const source = { select: COLUMNS, from: this.table, conditions: conditionsOf(caller, filter) };
    return idPage(this.dataSource, source, query, 'n.id');
  }

  /** How many of the caller's own there are. */
  count(caller: Caller, filter: NotificationFilter): Promise<number> {
    return countRows(this.dataSource, { from: this.table, conditions: conditionsOf(caller, filter) });
  }

  /** Whether it is one that the caller is shown. */
  async isShown(caller: Caller, id: number): Promise<boolean> {
    const conditions = conditionsOf(caller, {}).add('n.id = ?', id);
    return (await countRows(this.dataSource, { from: 'notification n', conditions })) > 0;
  }

  /** Marks one as read, and as opened what it is about. */
  async markAsRead(id: number): Promise<void> {
    await this.transactions.run((manager) =>
      manager.query('UPDATE notification SET already_read = ?, resource_already_read = ? WHERE id = ?', [
        true,
        true,
        id,
      ]),
    );
  }

  /** Marks all that the caller is shown as read, and tells how many were not. */
  async markAllAsRead(caller: Caller): Promise<number> {
    let marked = 0;
    let after = 0;
    await inBatches(BATCH, async (limit) => {
      const unread = conditionsOf(caller, { alreadyRead: false }).add('n.id > ?', after);
      const rows = await this.dataSource.query<{ id: number }[]>(
        `SELECT n.id AS id FROM ${this.table} ${unread.where} ORDER BY n.id LIMIT ${limit}`,
        unread.parameters,
      );
      if (rows.length === 0) return 0;
      after = rows.at(-1)?.id ?? after;
      const list = inList(rows.map((row) => row.id));
      // Who asks at the same time counts none of them twice.
      marked += await this.transactions.run((manager) =>
        affectedRows(
          manager,
          `UPDATE notification SET already_read = ? WHERE already_read = ? AND id ${list.sql}`,
          [true, false, ...list.parameters],
        ),
      );
      return rows.length;
    });
    return marked;
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
  if (!DEVELOPERS.includes(caller.roleType)) conditions.add(`n.reason NOT IN (${GIT_REASONS.join(', ')})`);
  return conditions;
}
