import { type DataSource, type MigrationInterface } from 'typeorm';
import { createDataSource } from '../../src/database/connections/data-source';
import { migrations } from '../../src/database/migrations';
import { DialectMigration } from '../../src/database/migrations/dialect-migration';

/** A migration of a later version, whose processes of this version stop before it. */
export class NextVersion1999000000000 extends DialectMigration {
  readonly name: string = 'NextVersion1999000000000';
  protected readonly sqlite = { up: [] };
  protected readonly mysql = {
    up: ['ALTER TABLE `user` ADD `next_version` int NULL', 'UPDATE `user` SET `next_version` = 1'],
    down: ['ALTER TABLE `user` DROP COLUMN `next_version`'],
  };
}

/** The same, beside which processes of this version serve. */
export class CompatibleVersion1999000000001 extends NextVersion1999000000000 {
  override readonly name = 'CompatibleVersion1999000000001';
  override readonly allowsOlder = true;
}

/** The migrations of the previous release, 1.0.0. */
export const PREVIOUS_RELEASE = migrations.slice(
  0,
  migrations.findIndex(({ name }) => name === 'AuditLog1795354931934') + 1,
);

/** Opens a server's database as a version with these migrations does. */
export async function openAs(
  url: string,
  versionMigrations: (new () => MigrationInterface)[],
): Promise<DataSource> {
  const dataSource = createDataSource({ DATABASE_URL: url, DATABASE_POOL_SIZE: 2 }, []);
  dataSource.setOptions({ migrations: versionMigrations });
  return dataSource.initialize();
}
