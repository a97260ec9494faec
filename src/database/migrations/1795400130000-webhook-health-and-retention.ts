import { DialectMigration } from './dialect-migration';

export class WebhookHealthAndRetention1795400130000 extends DialectMigration {
  readonly name = 'WebhookHealthAndRetention1795400130000';

  protected readonly sqlite = {
    up: [
      'ALTER TABLE "webhook_delivery" ADD COLUMN "restart_requested" integer',
      'ALTER TABLE "webhook_health" ADD COLUMN "reason" varchar(255) NOT NULL DEFAULT (\'\')',
      'ALTER TABLE "activity_text" ADD COLUMN "period" integer NOT NULL DEFAULT (0)',
      'CREATE INDEX "ix_activity_text_project_id_period" ON "activity_text" ("project_id", "period") ',
      'DROP INDEX "ix_activity_text_project_id"',
    ],
  };

  protected readonly mysql = {
    up: [
      'ALTER TABLE `webhook_delivery` ADD `restart_requested` bigint NULL',
      "ALTER TABLE `webhook_health` ADD `reason` varchar(255) NOT NULL DEFAULT ''",
      'ALTER TABLE `activity_text` ADD `period` int NOT NULL DEFAULT 0',
      // The foreign key needs an index at any time.
      'CREATE INDEX `ix_activity_text_project_id_period` ON `activity_text` (`project_id`, `period`)',
      'DROP INDEX `ix_activity_text_project_id` ON `activity_text`',
    ],
    down: [
      'CREATE INDEX `ix_activity_text_project_id` ON `activity_text` (`project_id`)',
      'DROP INDEX `ix_activity_text_project_id_period` ON `activity_text`',
      'ALTER TABLE `activity_text` DROP COLUMN `period`',
      'ALTER TABLE `webhook_health` DROP COLUMN `reason`',
      'ALTER TABLE `webhook_delivery` DROP COLUMN `restart_requested`',
    ],
  };
}
