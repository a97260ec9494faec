import { DialectMigration } from './dialect-migration';

/** Tables with lockable rows. */
const TABLES = [
  'project',
  'user',
  'comment',
  'git_repository',
  'issue_status',
  'issue_type',
  'issue',
  'category',
  'version',
  'pull_request',
  'space',
  'webhook',
  'wiki',
];

export class LockVersions1795342753418 extends DialectMigration {
  readonly name = 'LockVersions1795342753418';

  protected readonly sqlite = {
    up: TABLES.map(
      (table) => `ALTER TABLE "${table}" ADD COLUMN "lock_version" integer NOT NULL DEFAULT (0)`,
    ),
  };

  protected readonly mysql = {
    up: TABLES.map((table) => `ALTER TABLE \`${table}\` ADD \`lock_version\` bigint NOT NULL DEFAULT 0`),
    down: TABLES.map((table) => `ALTER TABLE \`${table}\` DROP COLUMN \`lock_version\``),
  };
}
