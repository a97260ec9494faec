import { DialectMigration } from './dialect-migration';

export class Passkeys1795722447005 extends DialectMigration {
  readonly name = 'Passkeys1795722447005';

  protected readonly sqlite = {
    up: [
      'CREATE TABLE "passkey" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "user_id" integer NOT NULL, "credential_hash" varchar(64) NOT NULL, "credential_id" varchar(1400) NOT NULL, "public_key" varchar(1400) NOT NULL, "sign_count" integer NOT NULL, "transports" varchar(100) NOT NULL, "backed_up" boolean NOT NULL, "name" varchar(100) NOT NULL, "created" integer NOT NULL, "last_used" integer, CONSTRAINT "uq_passkey_credential_hash" UNIQUE ("credential_hash"), CONSTRAINT "fk_passkey_user_id" FOREIGN KEY ("user_id") REFERENCES "user" ("id") ON DELETE CASCADE ON UPDATE NO ACTION)',
      'CREATE INDEX "ix_passkey_user_id" ON "passkey" ("user_id") ',
      'CREATE TABLE "used_challenge" ("challenge_hash" varchar(64) PRIMARY KEY NOT NULL, "expires" integer NOT NULL)',
      'CREATE INDEX "ix_used_challenge_expires" ON "used_challenge" ("expires") ',
    ],
  };

  protected readonly mysql = {
    up: [
      'CREATE TABLE `passkey` (`id` bigint NOT NULL AUTO_INCREMENT, `user_id` bigint NOT NULL, `credential_hash` varchar(64) NOT NULL, `credential_id` varchar(1400) NOT NULL, `public_key` varchar(1400) NOT NULL, `sign_count` bigint NOT NULL, `transports` varchar(100) NOT NULL, `backed_up` tinyint NOT NULL, `name` varchar(100) NOT NULL, `created` bigint NOT NULL, `last_used` bigint NULL, INDEX `ix_passkey_user_id` (`user_id`), UNIQUE INDEX `ix_passkey_credential_hash` (`credential_hash`), PRIMARY KEY (`id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'CREATE TABLE `used_challenge` (`challenge_hash` varchar(64) NOT NULL, `expires` bigint NOT NULL, INDEX `ix_used_challenge_expires` (`expires`), PRIMARY KEY (`challenge_hash`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'ALTER TABLE `passkey` ADD CONSTRAINT `fk_passkey_user_id` FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON DELETE CASCADE ON UPDATE NO ACTION',
    ],
    down: [
      'ALTER TABLE `passkey` DROP FOREIGN KEY `fk_passkey_user_id`',
      'DROP INDEX `ix_used_challenge_expires` ON `used_challenge`',
      'DROP TABLE `used_challenge`',
      'DROP INDEX `ix_passkey_credential_hash` ON `passkey`',
      'DROP INDEX `ix_passkey_user_id` ON `passkey`',
      'DROP TABLE `passkey`',
    ],
  };
}
