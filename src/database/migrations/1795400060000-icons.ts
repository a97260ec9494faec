import { DialectMigration } from './dialect-migration';

export class Icons1795400060000 extends DialectMigration {
  readonly name = 'Icons1795400060000';

  protected readonly sqlite = {
    up: [
      'CREATE TABLE "icon" ("attachment_id" integer PRIMARY KEY NOT NULL, "subject_type" varchar(16) NOT NULL, "subject_id" integer NOT NULL, CONSTRAINT "uq_icon_subject_type_subject_id" UNIQUE ("subject_type", "subject_id"), CONSTRAINT "fk_icon_attachment_id" FOREIGN KEY ("attachment_id") REFERENCES "attachment" ("id") ON DELETE NO ACTION ON UPDATE NO ACTION)',
      'ALTER TABLE "space" ADD COLUMN "notification" mediumtext',
      'ALTER TABLE "space" ADD COLUMN "notification_updated" integer',
    ],
  };

  protected readonly mysql = {
    up: [
      'CREATE TABLE `icon` (`attachment_id` bigint NOT NULL, `subject_type` varchar(16) NOT NULL, `subject_id` bigint NOT NULL, UNIQUE INDEX `ix_icon_subject_type_subject_id` (`subject_type`, `subject_id`), PRIMARY KEY (`attachment_id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'ALTER TABLE `space` ADD `notification` mediumtext NULL',
      'ALTER TABLE `space` ADD `notification_updated` bigint NULL',
      'ALTER TABLE `icon` ADD CONSTRAINT `fk_icon_attachment_id` FOREIGN KEY (`attachment_id`) REFERENCES `attachment`(`id`) ON DELETE NO ACTION ON UPDATE NO ACTION',
    ],
    down: [
      'ALTER TABLE `icon` DROP FOREIGN KEY `fk_icon_attachment_id`',
      'ALTER TABLE `space` DROP COLUMN `notification_updated`',
      'ALTER TABLE `space` DROP COLUMN `notification`',
      'DROP INDEX `ix_icon_subject_type_subject_id` ON `icon`',
      'DROP TABLE `icon`',
    ],
  };
}
