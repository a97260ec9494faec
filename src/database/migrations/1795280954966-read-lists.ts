import { DialectMigration } from './dialect-migration';

export class ReadLists1795280954966 extends DialectMigration {
  readonly name = 'ReadLists1795280954966';

  protected readonly sqlite = {
    up: [
      'DROP INDEX "ix_notification_user_id"',
      'CREATE INDEX "ix_activity_project_id_type_id" ON "activity" ("project_id", "type", "id") ',
      'CREATE INDEX "ix_notification_of_user" ON "notification" ("user_id", "id", "already_read", "resource_already_read", "project_id", "reason") ',
    ],
  };

  protected readonly mysql = {
    // First what takes over the foreign key of the user, then what had it.
    up: [
      'CREATE INDEX `ix_activity_project_id_type_id` ON `activity` (`project_id`, `type`, `id`)',
      'CREATE INDEX `ix_notification_of_user` ON `notification` (`user_id`, `id`, `already_read`, `resource_already_read`, `project_id`, `reason`)',
      'DROP INDEX `ix_notification_user_id` ON `notification`',
    ],
    down: [
      'DROP INDEX `ix_activity_project_id_type_id` ON `activity`',
      'CREATE INDEX `ix_notification_user_id` ON `notification` (`user_id`)',
      'DROP INDEX `ix_notification_of_user` ON `notification`',
    ],
  };
}
