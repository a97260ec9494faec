import { DialectMigration } from './dialect-migration';

export class WaysIn1795736400000 extends DialectMigration {
  readonly name = 'WaysIn1795736400000';
  // Older processes would start the session of a challenge without the role that waits in it.
  override readonly allowsOlder = false;

  protected readonly sqlite = {
    up: [
      'ALTER TABLE "login_challenge" ADD COLUMN "role_type" smallint',
      'ALTER TABLE "passkey" ADD COLUMN "last_used_alone" integer',
      'ALTER TABLE "sso_attempt" ADD COLUMN "invitation_hash" varchar(64)',
    ],
  };

  protected readonly mysql = {
    up: [
      'ALTER TABLE `login_challenge` ADD `role_type` smallint NULL',
      'ALTER TABLE `passkey` ADD `last_used_alone` bigint NULL',
      'ALTER TABLE `sso_attempt` ADD `invitation_hash` varchar(64) NULL',
    ],
    down: [
      'ALTER TABLE `sso_attempt` DROP COLUMN `invitation_hash`',
      'ALTER TABLE `passkey` DROP COLUMN `last_used_alone`',
      'ALTER TABLE `login_challenge` DROP COLUMN `role_type`',
    ],
  };
}
