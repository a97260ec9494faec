import { DialectMigration } from './dialect-migration';

/** An index with the unread notifications of a user beside each other. Older processes do not use it. */
export class UnreadNotifications1795960000000 extends DialectMigration {
  readonly name = 'UnreadNotifications1795960000000';
  override readonly allowsOlder = true;

  protected readonly sqlite = {
    up: [
      'CREATE INDEX "ix_notification_of_user_by_state" ON "notification" ("user_id", "already_read", "resource_already_read", "project_id", "reason")',
    ],
  };

  protected readonly mysql = {
    up: [
      'CREATE INDEX `ix_notification_of_user_by_state` ON `notification` (`user_id`, `already_read`, `resource_already_read`, `project_id`, `reason`)',
    ],
    down: ['DROP INDEX `ix_notification_of_user_by_state` ON `notification`'],
  };
}
