import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { pastChangeOf } from '../../access/past-change';
import { type NotificationReason } from '../../notifications/notification-reason';
import { NotificationsService } from '../../notifications/notifications.service';
import { ProjectPeopleService } from '../../projects/project-people.service';
import { UserAdministrationService } from '../../users/user-administration.service';
import { WatchingRepository } from '../data/watching.repository';

/** A change of an issue, for the notifications of its watchers. */
export interface WatchedChange {
  /** The user who made the change, who is not notified. */
  senderId: number;
  reason: NotificationReason;
  /** The comment that describes the change. */
  commentId: number;
  /** Users already notified of the change for another reason. */
  notified?: readonly number[];
}

/** Notifies the watchers of issues, not of past changes. All updates of an issue and new comments on it go through this service. */
@Injectable()
export class WatchersService implements OnModuleInit {
  constructor(
    private readonly watchings: WatchingRepository,
    private readonly people: ProjectPeopleService,
    private readonly notifications: NotificationsService,
    private readonly users: UserAdministrationService,
  ) {}

  onModuleInit(): void {
    this.users.onLeaving((manager, userId) => this.watchings.deleteOfUser(manager, userId));
  }

  /**
   * Marks the watchings of an issue as unread, and notifies the watchers who can still see it, each once. The transaction must already have
   * written to the issue, so that all transactions lock in the same order.
   */
  async notify(
    manager: EntityManager,
    { id, projectId, threadId }: { id: number; projectId: number; threadId: number },
    { senderId, reason, commentId, notified = [] }: WatchedChange,
  ): Promise<void> {
    if (pastChangeOf(manager)) return;
    const watchers = await this.watchings.findWatcherIds(manager, id, senderId);
    if (watchers.length === 0) return;
    await this.watchings.markUnread(manager, id, senderId);
    const others = watchers.filter((userId) => !notified.includes(userId));
    const userIds = await this.people.filterNotifiable(manager, projectId, others);
    const subject = { projectId, threadId, senderId, reason, watchedCommentId: commentId };
    await this.notifications.add(manager, userIds, subject);
  }
}
