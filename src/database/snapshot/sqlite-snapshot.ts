import { existsSync, statSync } from 'node:fs';
import { type Environment } from '../../config/environment';
import { removeEmptyLog } from '../sqlite/database-file';
import { SqliteDatabase } from '../sqlite/node-sqlite';
import { StartRefusedError } from '../connections/start-refused.error';
import { refuseRestoreDraft } from '../sqlite/restore-draft';
import { readLastId } from '../schema/last-id';
import { inBackground } from './in-background';
import { type Snapshot } from './snapshot';

/**
 * Opens a read transaction on its own read-only connection: SQLite lets it read alongside the service's process, which can still write
 * (`docs/decisions/0033-backups.md`).
 */
export async function openSqliteSnapshot({
  DATABASE_URL: url,
}: Pick<Environment, 'DATABASE_URL'>): Promise<Snapshot> {
  const path = url.slice('sqlite:'.length);
  if (path === ':memory:') throw new StartRefusedError('A database in memory belongs to its process alone.');
  refuseRestoreDraft(path);
  if (!existsSync(path) || statSync(path).size === 0) {
    throw new StartRefusedError(`There is no database at ${path}: check DATABASE_URL.`);
  }
  const hadLog = existsSync(`${path}-wal`);
  const database = new SqliteDatabase(path, { readonly: true });
  const query = <T>(sql: string, parameters: unknown[] = []): Promise<T> =>
    Promise.resolve(database.prepare(sql).all(...parameters) as T);
  try {
    database.exec('BEGIN');
    // The transaction begins with its first read.
    const [{ version }] = await query<[{ version: string; tables: number }]>(
      'SELECT sqlite_version() AS version, (SELECT COUNT(*) FROM sqlite_master) AS tables',
    );
    return {
      isEmbedded: true,
      engine: `SQLite ${version}`,
      query,
      stream: (sql) => inBackground(database.prepare(sql).iterate()),
      lastId: (table) => readLastId({ query }, table, true),
      close: async () => {
        database.close();
        if (!hadLog) await removeEmptyLog(path);
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}
