import { DialectMigration } from './dialect-migration';

export class SecondFactors1795714102979 extends DialectMigration {
  readonly name = 'SecondFactors1795714102979';
  // Older processes would let users in without their second factor.
  override readonly allowsOlder = false;

  protected readonly sqlite = {
    up: [
      'CREATE TABLE "recovery_code" ("user_id" integer NOT NULL, "code_hash" varchar(64) NOT NULL, CONSTRAINT "fk_recovery_code_user_id" FOREIGN KEY ("user_id") REFERENCES "user" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, PRIMARY KEY ("user_id", "code_hash"))',
      'CREATE TABLE "totp" ("user_id" integer PRIMARY KEY NOT NULL, "secret" varchar(255), "confirmed" integer, "last_step" integer NOT NULL, CONSTRAINT "fk_totp_user_id" FOREIGN KEY ("user_id") REFERENCES "user" ("id") ON DELETE CASCADE ON UPDATE NO ACTION)',
      'CREATE TABLE "login_challenge" ("token_hash" varchar(64) PRIMARY KEY NOT NULL, "user_id" integer NOT NULL, "password_hash" varchar(255), "failures" integer NOT NULL, "expires" integer NOT NULL, CONSTRAINT "fk_login_challenge_user_id" FOREIGN KEY ("user_id") REFERENCES "user" ("id") ON DELETE CASCADE ON UPDATE NO ACTION)',
      'CREATE INDEX "ix_login_challenge_user_id" ON "login_challenge" ("user_id") ',
      'CREATE INDEX "ix_login_challenge_expires" ON "login_challenge" ("expires") ',
      'ALTER TABLE "session" ADD COLUMN "second_factor" integer',
      'ALTER TABLE "password_link" ADD COLUMN "without_second_factor" boolean NOT NULL DEFAULT (0)',
    ],
  };

  protected readonly mysql = {
    up: [
      'CREATE TABLE `recovery_code` (`user_id` bigint NOT NULL, `code_hash` varchar(64) NOT NULL, PRIMARY KEY (`user_id`, `code_hash`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'CREATE TABLE `totp` (`user_id` bigint NOT NULL, `secret` varchar(255) NULL, `confirmed` bigint NULL, `last_step` bigint NOT NULL, PRIMARY KEY (`user_id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'CREATE TABLE `login_challenge` (`token_hash` varchar(64) NOT NULL, `user_id` bigint NOT NULL, `password_hash` varchar(255) NULL, `failures` int NOT NULL, `expires` bigint NOT NULL, INDEX `ix_login_challenge_user_id` (`user_id`), INDEX `ix_login_challenge_expires` (`expires`), PRIMARY KEY (`token_hash`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'ALTER TABLE `session` ADD `second_factor` bigint NULL',
      'ALTER TABLE `password_link` ADD `without_second_factor` tinyint NOT NULL DEFAULT 0',
      'ALTER TABLE `recovery_code` ADD CONSTRAINT `fk_recovery_code_user_id` FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `totp` ADD CONSTRAINT `fk_totp_user_id` FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `login_challenge` ADD CONSTRAINT `fk_login_challenge_user_id` FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
    ],
    down: [
      'ALTER TABLE `login_challenge` DROP FOREIGN KEY `fk_login_challenge_user_id`',
      'ALTER TABLE `totp` DROP FOREIGN KEY `fk_totp_user_id`',
      'ALTER TABLE `recovery_code` DROP FOREIGN KEY `fk_recovery_code_user_id`',
      'ALTER TABLE `password_link` DROP COLUMN `without_second_factor`',
      'ALTER TABLE `session` DROP COLUMN `second_factor`',
      'DROP INDEX `ix_login_challenge_expires` ON `login_challenge`',
      'DROP INDEX `ix_login_challenge_user_id` ON `login_challenge`',
      'DROP TABLE `login_challenge`',
      'DROP TABLE `totp`',
      'DROP TABLE `recovery_code`',
    ],
  };
}
