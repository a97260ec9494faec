import { DialectMigration } from './dialect-migration';

export class SingleSignOn1795723142787 extends DialectMigration {
  readonly name = 'SingleSignOn1795723142787';
  // Older processes would not re-encrypt the client secrets when the key is replaced.
  override readonly allowsOlder = false;

  protected readonly sqlite = {
    up: [
      'CREATE TABLE "identity_provider" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "provider_key" varchar(32) NOT NULL, "name" varchar(255) NOT NULL, "issuer" varchar(500) NOT NULL, "client_id" varchar(255) NOT NULL, "client_secret" varchar(500), "scopes" varchar(255) NOT NULL, "allowed_domains" mediumtext NOT NULL, "creates_users" boolean NOT NULL, "default_role_type" smallint NOT NULL, "groups_claim" varchar(255) NOT NULL, "group_roles" mediumtext NOT NULL, "links_by_mail" boolean NOT NULL, "trusts_mail" boolean NOT NULL, "trusts_second_factor" boolean NOT NULL, "accepts_missing_auth_time" boolean NOT NULL, "enabled" boolean NOT NULL, "created" integer NOT NULL, CONSTRAINT "uq_identity_provider_provider_key" UNIQUE ("provider_key"))',
      'CREATE TABLE "identity" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "provider_id" integer NOT NULL, "subject" varchar(255) NOT NULL, "user_id" integer NOT NULL, "mail_address" varchar(255), "created" integer NOT NULL, "last_used" integer, CONSTRAINT "uq_identity_provider_id_user_id" UNIQUE ("provider_id", "user_id"), CONSTRAINT "uq_identity_provider_id_subject" UNIQUE ("provider_id", "subject"), CONSTRAINT "fk_identity_provider_id" FOREIGN KEY ("provider_id") REFERENCES "identity_provider" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, CONSTRAINT "fk_identity_user_id" FOREIGN KEY ("user_id") REFERENCES "user" ("id") ON DELETE CASCADE ON UPDATE NO ACTION)',
      'CREATE INDEX "ix_identity_user_id" ON "identity" ("user_id") ',
      'CREATE TABLE "sso_attempt" ("token_hash" varchar(64) PRIMARY KEY NOT NULL, "provider_id" integer NOT NULL, "purpose" smallint NOT NULL, "user_id" integer, "session_id" integer, "target" varchar(2000) NOT NULL, "created" integer NOT NULL, "expires" integer NOT NULL, CONSTRAINT "fk_sso_attempt_provider_id" FOREIGN KEY ("provider_id") REFERENCES "identity_provider" ("id") ON DELETE CASCADE ON UPDATE NO ACTION, CONSTRAINT "fk_sso_attempt_user_id" FOREIGN KEY ("user_id") REFERENCES "user" ("id") ON DELETE CASCADE ON UPDATE NO ACTION)',
      'CREATE INDEX "ix_sso_attempt_provider_id" ON "sso_attempt" ("provider_id") ',
      'CREATE INDEX "ix_sso_attempt_user_id" ON "sso_attempt" ("user_id") ',
      'CREATE INDEX "ix_sso_attempt_expires" ON "sso_attempt" ("expires") ',
      'ALTER TABLE "password_link" ADD COLUMN "by_operator" boolean NOT NULL DEFAULT (0)',
      'ALTER TABLE "login_challenge" ADD COLUMN "authenticated" integer',
    ],
  };

  protected readonly mysql = {
    up: [
      'CREATE TABLE `identity_provider` (`id` bigint NOT NULL AUTO_INCREMENT, `provider_key` varchar(32) NOT NULL, `name` varchar(255) NOT NULL, `issuer` varchar(500) NOT NULL, `client_id` varchar(255) NOT NULL, `client_secret` varchar(500) NULL, `scopes` varchar(255) NOT NULL, `allowed_domains` mediumtext NOT NULL, `creates_users` tinyint NOT NULL, `default_role_type` smallint NOT NULL, `groups_claim` varchar(255) NOT NULL, `group_roles` mediumtext NOT NULL, `links_by_mail` tinyint NOT NULL, `trusts_mail` tinyint NOT NULL, `trusts_second_factor` tinyint NOT NULL, `accepts_missing_auth_time` tinyint NOT NULL, `enabled` tinyint NOT NULL, `created` bigint NOT NULL, UNIQUE INDEX `ix_identity_provider_provider_key` (`provider_key`), PRIMARY KEY (`id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'CREATE TABLE `identity` (`id` bigint NOT NULL AUTO_INCREMENT, `provider_id` bigint NOT NULL, `subject` varchar(255) NOT NULL, `user_id` bigint NOT NULL, `mail_address` varchar(255) NULL, `created` bigint NOT NULL, `last_used` bigint NULL, INDEX `ix_identity_user_id` (`user_id`), UNIQUE INDEX `ix_identity_provider_id_user_id` (`provider_id`, `user_id`), UNIQUE INDEX `ix_identity_provider_id_subject` (`provider_id`, `subject`), PRIMARY KEY (`id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'CREATE TABLE `sso_attempt` (`token_hash` varchar(64) NOT NULL, `provider_id` bigint NOT NULL, `purpose` smallint NOT NULL, `user_id` bigint NULL, `session_id` bigint NULL, `target` varchar(2000) NOT NULL, `created` bigint NOT NULL, `expires` bigint NOT NULL, INDEX `ix_sso_attempt_provider_id` (`provider_id`), INDEX `ix_sso_attempt_user_id` (`user_id`), INDEX `ix_sso_attempt_expires` (`expires`), PRIMARY KEY (`token_hash`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'ALTER TABLE `password_link` ADD `by_operator` tinyint NOT NULL DEFAULT 0',
      'ALTER TABLE `login_challenge` ADD `authenticated` bigint NULL',
      'ALTER TABLE `identity` ADD CONSTRAINT `fk_identity_provider_id` FOREIGN KEY (`provider_id`) REFERENCES `identity_provider`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `identity` ADD CONSTRAINT `fk_identity_user_id` FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `sso_attempt` ADD CONSTRAINT `fk_sso_attempt_provider_id` FOREIGN KEY (`provider_id`) REFERENCES `identity_provider`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
      'ALTER TABLE `sso_attempt` ADD CONSTRAINT `fk_sso_attempt_user_id` FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
    ],
    down: [
      'ALTER TABLE `sso_attempt` DROP FOREIGN KEY `fk_sso_attempt_user_id`',
      'ALTER TABLE `sso_attempt` DROP FOREIGN KEY `fk_sso_attempt_provider_id`',
      'ALTER TABLE `identity` DROP FOREIGN KEY `fk_identity_user_id`',
      'ALTER TABLE `identity` DROP FOREIGN KEY `fk_identity_provider_id`',
      'ALTER TABLE `login_challenge` DROP COLUMN `authenticated`',
      'ALTER TABLE `password_link` DROP COLUMN `by_operator`',
      'DROP INDEX `ix_sso_attempt_expires` ON `sso_attempt`',
      'DROP INDEX `ix_sso_attempt_user_id` ON `sso_attempt`',
      'DROP INDEX `ix_sso_attempt_provider_id` ON `sso_attempt`',
      'DROP TABLE `sso_attempt`',
      'DROP INDEX `ix_identity_provider_id_subject` ON `identity`',
      'DROP INDEX `ix_identity_provider_id_user_id` ON `identity`',
      'DROP INDEX `ix_identity_user_id` ON `identity`',
      'DROP TABLE `identity`',
      'DROP INDEX `ix_identity_provider_provider_key` ON `identity_provider`',
      'DROP TABLE `identity_provider`',
    ],
  };
}
