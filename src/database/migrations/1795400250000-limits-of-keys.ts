import { DialectMigration } from './dialect-migration';

/** Tables whose rows name the key of the agent that has written them. */
const WRITTEN_BY_AGENTS = ['comment', 'activity', 'git_push', 'issue_commit'] as const;

export class LimitsOfKeys1795400250000 extends DialectMigration {
  readonly name = 'LimitsOfKeys1795400250000';

  protected readonly sqlite = {
    up: [
      'CREATE TABLE "agent" ("key_id" integer PRIMARY KEY NOT NULL, "name" varchar(100) NOT NULL, "key_name" varchar(255) NOT NULL)',
      'ALTER TABLE "api_key" ADD COLUMN "scopes" varchar(1000)',
      'ALTER TABLE "api_key" ADD COLUMN "project_ids" varchar(1000)',
      'ALTER TABLE "api_key" ADD COLUMN "agent" varchar(100)',
      'ALTER TABLE "api_key" ADD COLUMN "expires" integer',
      'ALTER TABLE "audit_log_entry" ADD COLUMN "agent" mediumtext',
      'ALTER TABLE "attachment" ADD COLUMN "upload_key_id" integer',
      ...WRITTEN_BY_AGENTS.map((table) => `ALTER TABLE "${table}" ADD COLUMN "agent_key_id" integer`),
    ],
  };

  protected readonly mysql = {
    up: [
      'CREATE TABLE `agent` (`key_id` bigint NOT NULL, `name` varchar(100) NOT NULL, `key_name` varchar(255) NOT NULL, PRIMARY KEY (`key_id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
      'ALTER TABLE `api_key` ADD `scopes` varchar(1000) NULL',
      'ALTER TABLE `api_key` ADD `project_ids` varchar(1000) NULL',
      'ALTER TABLE `api_key` ADD `agent` varchar(100) NULL',
      'ALTER TABLE `api_key` ADD `expires` bigint NULL',
      'ALTER TABLE `audit_log_entry` ADD `agent` mediumtext NULL',
      'ALTER TABLE `attachment` ADD `upload_key_id` bigint NULL',
      ...WRITTEN_BY_AGENTS.map((table) => `ALTER TABLE \`${table}\` ADD \`agent_key_id\` bigint NULL`),
    ],
    down: [
      ...WRITTEN_BY_AGENTS.map((table) => `ALTER TABLE \`${table}\` DROP COLUMN \`agent_key_id\``),
      'ALTER TABLE `attachment` DROP COLUMN `upload_key_id`',
      'ALTER TABLE `audit_log_entry` DROP COLUMN `agent`',
      // Without its limits, a key would be able to do more.
      'DELETE FROM `api_key` WHERE `scopes` IS NOT NULL OR `project_ids` IS NOT NULL OR `agent` IS NOT NULL OR `expires` IS NOT NULL',
      'ALTER TABLE `api_key` DROP COLUMN `expires`',
      'ALTER TABLE `api_key` DROP COLUMN `agent`',
      'ALTER TABLE `api_key` DROP COLUMN `project_ids`',
      'ALTER TABLE `api_key` DROP COLUMN `scopes`',
      'DROP TABLE `agent`',
    ],
  };
}
