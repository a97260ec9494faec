import { DialectMigration } from './dialect-migration';

export class SignIn1795710967526 extends DialectMigration {
  readonly name = 'SignIn1795710967526';
  override readonly allowsOlder = true;

  protected readonly sqlite = {
    up: [
      'CREATE TABLE "session" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "user_id" integer NOT NULL, "token_hash" varchar(64) NOT NULL, "created" integer NOT NULL, "last_seen" integer NOT NULL, "expires" integer NOT NULL, "authenticated" integer NOT NULL, "address" varchar(45) NOT NULL, "user_agent" varchar(255) NOT NULL, CONSTRAINT "uq_session_token_hash" UNIQUE ("token_hash"), CONSTRAINT "fk_session_user_id" FOREIGN KEY ("user_id") REFERENCES "user" ("id") ON DELETE CASCADE ON UPDATE NO ACTION)',
      'CREATE INDEX "ix_session_user_id" ON "session" ("user_id") ',
      'CREATE INDEX "ix_session_expires" ON "session" ("expires") ',
      'CREATE TABLE "password_link" ("user_id" integer PRIMARY KEY NOT NULL, "token_hash" varchar(64) NOT NULL, "created" integer NOT NULL, "expires" integer NOT NULL, CONSTRAINT "uq_password_link_token_hash" UNIQUE ("token_hash"), CONSTRAINT "fk_password_link_user_id" FOREIGN KEY ("user_id") REFERENCES "user" ("id") ON DELETE CASCADE ON UPDATE NO ACTION)',
      'CREATE INDEX "ix_password_link_expires" ON "password_link" ("expires") ',
      'CREATE TABLE "sign_in_failures" ("subject" varchar(64) PRIMARY KEY NOT NULL, "failures" integer NOT NULL, "waits_until" integer NOT NULL, "expires" integer NOT NULL, "lock_version" integer NOT NULL DEFAULT (0))',
      'CREATE INDEX "ix_sign_in_failures_expires" ON "sign_in_failures" ("expires") ',
    ],
  };

  protected readonly mysql = {
    up: [
      'CREATE TABLE `session` (`id` bigint NOT NULL AUTO_INCREMENT, `user_id` bigint NOT NULL, `token_hash` varchar(64) NOT NULL, `created` bigint NOT NULL, `last_seen` bigint NOT NULL, `expires` bigint NOT NULL, `authenticated` bigint NOT NULL, `address` varchar(45) NOT NULL, `user_agent` varchar(255) NOT NULL, INDEX `ix_session_user_id` (`user_id`), INDEX `ix_session_expires` (`expires`), UNIQUE INDEX `ix_session_token_hash` (`token_hash`), PRIMARY KEY (`id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'CREATE TABLE `password_link` (`user_id` bigint NOT NULL, `token_hash` varchar(64) NOT NULL, `created` bigint NOT NULL, `expires` bigint NOT NULL, INDEX `ix_password_link_expires` (`expires`), UNIQUE INDEX `ix_password_link_token_hash` (`token_hash`), PRIMARY KEY (`user_id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      "CREATE TABLE `sign_in_failures` (`subject` varchar(64) NOT NULL, `failures` int NOT NULL, `waits_until` bigint NOT NULL, `expires` bigint NOT NULL, `lock_version` bigint NOT NULL DEFAULT '0', INDEX `ix_sign_in_failures_expires` (`expires`), PRIMARY KEY (`subject`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin",
      'ALTER TABLE `session` ADD CONSTRAINT `fk_session_user_id` FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `password_link` ADD CONSTRAINT `fk_password_link_user_id` FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
    ],
    down: [
      'ALTER TABLE `password_link` DROP FOREIGN KEY `fk_password_link_user_id`',
      'ALTER TABLE `session` DROP FOREIGN KEY `fk_session_user_id`',
      'DROP INDEX `ix_sign_in_failures_expires` ON `sign_in_failures`',
      'DROP TABLE `sign_in_failures`',
      'DROP INDEX `ix_password_link_token_hash` ON `password_link`',
      'DROP INDEX `ix_password_link_expires` ON `password_link`',
      'DROP TABLE `password_link`',
      'DROP INDEX `ix_session_token_hash` ON `session`',
      'DROP INDEX `ix_session_expires` ON `session`',
      'DROP INDEX `ix_session_user_id` ON `session`',
      'DROP TABLE `session`',
    ],
  };
}
