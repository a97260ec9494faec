import { Injectable } from '@nestjs/common';
import { inBatches } from '../database/transactions/in-batches';
import { TransactionsService } from '../database/transactions/transactions.service';
import { type IdPageQuery } from '../http/request/page-query';
import { type Page } from '../paging/page';
import { type Caller } from '../access/caller';
import {
  type NotificationFilter,
  UserNotificationRepository,
  type UserNotificationRow,
} from './data/user-notification.repository';

/** Number of notifications marked in one transaction. */
const BATCH = 1000;

/** Reads a user's notifications about resources that the user may still see, and marks them as read. */
@Injectable()
export class UserNotificationsService {
  constructor(
    private readonly notifications: UserNotificationRepository,
    private readonly transactions: TransactionsService,
  ) {}

  /** Returns one page of the caller's notifications. */
  list(caller: Caller, filter: NotificationFilter, query: IdPageQuery): Promise<Page<UserNotificationRow>> {
    return this.notifications.findPage(caller, filter, query);
  }

  /** Counts the caller's notifications. */
  count(caller: Caller, filter: NotificationFilter): Promise<number> {
    return this.notifications.count(caller, filter);
  }

  /** Whether a notification belongs to the caller, and its subject is visible to the caller. */
  isShown(caller: Caller, id: number): Promise<boolean> {
    return this.notifications.isVisible(caller, id);
  }

  /** Marks a notification as read, and its subject as opened. */
  markAsRead(id: number): Promise<void> {
    return this.transactions.run((manager) => this.notifications.markAsRead(manager, id));
  }

  /** Marks all visible notifications of the caller as read and returns how many were unread. */
  async markAllAsRead(caller: Caller): Promise<number> {
    let marked = 0;
    let after = 0;
    await inBatches(BATCH, async (limit) => {
      const ids = await this.notifications.findUnreadIds(caller, after, limit);
      if (ids.length === 0) return 0;
      after = ids.at(-1) ?? after;
      // Concurrent requests do not count the same notification twice.
      marked += await this.transactions.run((manager) => this.notifications.markUnreadAsRead(manager, ids));
      return ids.length;
    });
    return marked;
  }
}
