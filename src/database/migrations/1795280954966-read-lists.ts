import { DialectMigration } from './dialect-migration';

export class ReadLists1795280954966 extends DialectMigration {
  readonly name = 'ReadLists1795280954966';

  protected readonly sqlite = {
    up: [
      'DROP INDEX "ix_notification_user_id"',
      'CREATE INDEX "ix_activity_project_id_type_id" ON "activity" ("project_id", "type", "id") ',
      'DROP INDEX "ix_activity_created_user_id_id_project_id_type"',
      'CREATE INDEX "ix_activity_created_user_id_project_id_id_type" ON "activity" ("created_user_id", "project_id", "id", "type") ',
      'ALTER TABLE "project" ADD COLUMN "grandchild_issue_enabled" boolean NOT NULL DEFAULT (0)',
      'CREATE INDEX "ix_notification_of_user" ON "notification" ("user_id", "id", "already_read", "resource_already_read", "project_id", "reason") ',
    ],
  };

  protected readonly mysql = {
    // Creates the indexes that take over the foreign keys of users before it drops the old ones.
    up: [
      'ALTER TABLE `project` ADD `grandchild_issue_enabled` tinyint NOT NULL DEFAULT 0',
      'CREATE INDEX `ix_activity_created_user_id_project_id_id_type` ON `activity` (`created_user_id`, `project_id`, `id`, `type`)',
      'DROP INDEX `ix_activity_created_user_id_id_project_id_type` ON `activity`',
      'CREATE INDEX `ix_activity_project_id_type_id` ON `activity` (`project_id`, `type`, `id`)',
      'CREATE INDEX `ix_notification_of_user` ON `notification` (`user_id`, `id`, `already_read`, `resource_already_read`, `project_id`, `reason`)',
      'DROP INDEX `ix_notification_user_id` ON `notification`',
    ],
    down: [
      'DROP INDEX `ix_activity_project_id_type_id` ON `activity`',
      'CREATE INDEX `ix_activity_created_user_id_id_project_id_type` ON `activity` (`created_user_id`, `id`, `project_id`, `type`)',
      'DROP INDEX `ix_activity_created_user_id_project_id_id_type` ON `activity`',
      'ALTER TABLE `project` DROP COLUMN `grandchild_issue_enabled`',
      'CREATE INDEX `ix_notification_user_id` ON `notification` (`user_id`)',
      'DROP INDEX `ix_notification_of_user` ON `notification`',
    ],
  };
}
