import { DialectMigration } from './dialect-migration';

/** Letters, and what users choose to get. Older processes write none, and send none: they have no mail server. */
export class Mail1795723688225 extends DialectMigration {
  readonly name = 'Mail1795723688225';
  override readonly allowsOlder = true;

  protected readonly sqlite = {
    up: [
      'CREATE TABLE "mail_letter" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "kind" smallint NOT NULL, "user_id" integer, "address" varchar(255), "notification_id" integer, "project_id" integer, "detail" mediumtext, "unsubscribe_hash" varchar(64), "state" smallint NOT NULL, "attempt" integer NOT NULL, "next_at" integer NOT NULL, "lease_until" integer NOT NULL, "lease_token" varchar(36), "created" integer NOT NULL, "finished" integer, "error" varchar(255) NOT NULL DEFAULT (\'\'), CONSTRAINT "uq_mail_letter_unsubscribe_hash" UNIQUE ("unsubscribe_hash"), CONSTRAINT "fk_mail_letter_user_id" FOREIGN KEY ("user_id") REFERENCES "user" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, CONSTRAINT "fk_mail_letter_notification_id" FOREIGN KEY ("notification_id") REFERENCES "notification" ("id") ON DELETE CASCADE ON UPDATE NO ACTION)',
      'CREATE INDEX "ix_mail_letter_user_id" ON "mail_letter" ("user_id") ',
      'CREATE INDEX "ix_mail_letter_notification_id" ON "mail_letter" ("notification_id") ',
      'CREATE INDEX "ix_mail_letter_project_id" ON "mail_letter" ("project_id") ',
      'CREATE INDEX "ix_mail_letter_address_created" ON "mail_letter" ("address", "created") ',
      'CREATE INDEX "ix_mail_letter_state_next_at" ON "mail_letter" ("state", "next_at") ',
      'CREATE TABLE "mail_server" ("id" integer PRIMARY KEY NOT NULL, "failures" integer NOT NULL, "failing_since" integer, "paused_until" integer NOT NULL, "pauses" integer NOT NULL, "reason" varchar(255) NOT NULL DEFAULT (\'\'))',
      'CREATE TABLE "mail_setting" ("user_id" integer PRIMARY KEY NOT NULL, "mode" smallint NOT NULL, "muted_topics" integer NOT NULL, "digest_hour" integer NOT NULL, "time_zone" varchar(64) NOT NULL, "language" varchar(2), "digest_due" integer, "digest_after" integer NOT NULL, "paused_address" varchar(255), "paused" integer, "paused_reason" varchar(255) NOT NULL DEFAULT (\'\'), CONSTRAINT "fk_mail_setting_user_id" FOREIGN KEY ("user_id") REFERENCES "user" ("id") ON DELETE CASCADE ON UPDATE NO ACTION)',
      'CREATE INDEX "ix_mail_setting_digest_due" ON "mail_setting" ("digest_due") ',
      'CREATE INDEX "ix_mail_setting_paused_address" ON "mail_setting" ("paused_address") ',
      'ALTER TABLE "invitation" ADD COLUMN "mailed_token_hash" varchar(64)',
      'CREATE INDEX "ix_invitation_mailed_token_hash" ON "invitation" ("mailed_token_hash") ',
    ],
  };

  protected readonly mysql = {
    up: [
      "CREATE TABLE `mail_letter` (`id` bigint NOT NULL AUTO_INCREMENT, `kind` smallint NOT NULL, `user_id` bigint NULL, `address` varchar(255) NULL, `notification_id` bigint NULL, `project_id` bigint NULL, `detail` mediumtext NULL, `unsubscribe_hash` varchar(64) NULL, `state` smallint NOT NULL, `attempt` int NOT NULL, `next_at` bigint NOT NULL, `lease_until` bigint NOT NULL, `lease_token` varchar(36) NULL, `created` bigint NOT NULL, `finished` bigint NULL, `error` varchar(255) NOT NULL DEFAULT '', INDEX `ix_mail_letter_user_id` (`user_id`), INDEX `ix_mail_letter_notification_id` (`notification_id`), INDEX `ix_mail_letter_project_id` (`project_id`), INDEX `ix_mail_letter_address_created` (`address`, `created`), INDEX `ix_mail_letter_state_next_at` (`state`, `next_at`), UNIQUE INDEX `ix_mail_letter_unsubscribe_hash` (`unsubscribe_hash`), PRIMARY KEY (`id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin",
      "CREATE TABLE `mail_server` (`id` bigint NOT NULL, `failures` int NOT NULL, `failing_since` bigint NULL, `paused_until` bigint NOT NULL, `pauses` int NOT NULL, `reason` varchar(255) NOT NULL DEFAULT '', PRIMARY KEY (`id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin",
      "CREATE TABLE `mail_setting` (`user_id` bigint NOT NULL, `mode` smallint NOT NULL, `muted_topics` int NOT NULL, `digest_hour` int NOT NULL, `time_zone` varchar(64) NOT NULL, `language` varchar(2) NULL, `digest_due` bigint NULL, `digest_after` bigint NOT NULL, `paused_address` varchar(255) NULL, `paused` bigint NULL, `paused_reason` varchar(255) NOT NULL DEFAULT '', INDEX `ix_mail_setting_digest_due` (`digest_due`), INDEX `ix_mail_setting_paused_address` (`paused_address`), PRIMARY KEY (`user_id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin",
      'ALTER TABLE `invitation` ADD `mailed_token_hash` varchar(64) NULL',
      'CREATE INDEX `ix_invitation_mailed_token_hash` ON `invitation` (`mailed_token_hash`)',
      'ALTER TABLE `mail_letter` ADD CONSTRAINT `fk_mail_letter_user_id` FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `mail_letter` ADD CONSTRAINT `fk_mail_letter_notification_id` FOREIGN KEY (`notification_id`) REFERENCES `notification`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `mail_setting` ADD CONSTRAINT `fk_mail_setting_user_id` FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
    ],
    down: [
      'ALTER TABLE `mail_setting` DROP FOREIGN KEY `fk_mail_setting_user_id`',
      'ALTER TABLE `mail_letter` DROP FOREIGN KEY `fk_mail_letter_notification_id`',
      'ALTER TABLE `mail_letter` DROP FOREIGN KEY `fk_mail_letter_user_id`',
      'DROP INDEX `ix_invitation_mailed_token_hash` ON `invitation`',
      'ALTER TABLE `invitation` DROP COLUMN `mailed_token_hash`',
      'DROP INDEX `ix_mail_setting_paused_address` ON `mail_setting`',
      'DROP INDEX `ix_mail_setting_digest_due` ON `mail_setting`',
      'DROP TABLE `mail_setting`',
      'DROP TABLE `mail_server`',
      'DROP INDEX `ix_mail_letter_unsubscribe_hash` ON `mail_letter`',
      'DROP INDEX `ix_mail_letter_state_next_at` ON `mail_letter`',
      'DROP INDEX `ix_mail_letter_address_created` ON `mail_letter`',
      'DROP INDEX `ix_mail_letter_project_id` ON `mail_letter`',
      'DROP INDEX `ix_mail_letter_notification_id` ON `mail_letter`',
      'DROP INDEX `ix_mail_letter_user_id` ON `mail_letter`',
      'DROP TABLE `mail_letter`',
    ],
  };
}
