import { DialectMigration } from './dialect-migration';

export class ScopesOfKeys1795400250000 extends DialectMigration {
  readonly name = 'ScopesOfKeys1795400250000';

  protected readonly sqlite = {
    up: [
      'ALTER TABLE "api_key" ADD COLUMN "scopes" varchar(1000)',
      'ALTER TABLE "api_key" ADD COLUMN "expires" integer',
    ],
  };

  protected readonly mysql = {
    up: [
      'ALTER TABLE `api_key` ADD `scopes` varchar(1000) NULL',
      'ALTER TABLE `api_key` ADD `expires` bigint NULL',
    ],
    // Without its limits, a key would be able to do more.
    down: [
      'DELETE FROM `api_key` WHERE `scopes` IS NOT NULL OR `expires` IS NOT NULL',
      'ALTER TABLE `api_key` DROP COLUMN `expires`',
      'ALTER TABLE `api_key` DROP COLUMN `scopes`',
    ],
  };
}
