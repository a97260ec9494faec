import { readMigrations, readTables } from '../../database/schema/tables';
import { type Snapshot } from '../../database/snapshot/snapshot';
import { BackupError } from '../backup.error';
import { type BackupSchema } from '../format';
import { expectedTables, findDifferent, MIGRATION_NAMES } from './expected-tables';

/** The schema of a backup, and the names of tables in the database that do not belong to the service. */
export interface BackedUpSchema {
  schema: BackupSchema;
  foreignTables: string[];
}

/**
 * Reads the schema of a database for a backup, and compares it with what a restore accepts.
 * @throws BackupError if the database is empty, or if its tables are not those of its migrations
 */
export async function readBackedUpSchema(snapshot: Snapshot): Promise<BackedUpSchema> {
  const migrations = await readMigrations(snapshot, snapshot.isEmbedded);
  if (migrations.length === 0) throw new BackupError('The database is empty: there is nothing to back up.');
  if (!migrations.every((name) => MIGRATION_NAMES.includes(name))) {
    // Only the newer version that ran them knows its tables.
    return {
      schema: { migrations, tables: await readTables(snapshot, snapshot.isEmbedded) },
      foreignTables: [],
    };
  }
  const expected = await expectedTables(migrations.length);
  const foreignTables: string[] = [];
  const tables = await readTables(snapshot, snapshot.isEmbedded, (name) => {
    if (!expected.has(name)) foreignTables.push(name);
    return expected.has(name);
  });
  const different = findDifferent(tables, expected);
  if (different !== undefined) {
    throw new BackupError(
      `The table ${different} is not that of the migrations, one of which was probably interrupted: run pms migrate first.`,
    );
  }
  return { schema: { migrations, tables }, foreignTables };
}
