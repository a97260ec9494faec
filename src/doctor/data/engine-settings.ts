import { type StatementRunner } from '../../database/sql/statements';

/** Maximum number of reported problems of the file. */
const MAX_PROBLEMS = 5;

/** Returns the problems that SQLite finds in the file; none if it is intact. */
export async function readIntegrity(runner: StatementRunner): Promise<string[]> {
  const rows = await runner.query<{ integrity_check: string }[]>(`PRAGMA integrity_check(${MAX_PROBLEMS})`);
  return rows.map((row) => row.integrity_check).filter((line) => line !== 'ok');
}

/** Returns the server's settings by name, without those that it does not have. */
export async function readServerSettings(
  runner: StatementRunner,
  names: readonly string[],
): Promise<Map<string, string>> {
  const list = names.map((name) => `'${name}'`).join(',');
  const rows = await runner.query<{ Variable_name: string; Value: string }[]>(
    `SHOW GLOBAL VARIABLES WHERE Variable_name IN (${list})`,
  );
  return new Map(rows.map((row) => [row.Variable_name.toLowerCase(), row.Value]));
}

/** Returns the server's time, in milliseconds since 1970. */
export async function readServerTime(runner: StatementRunner): Promise<number> {
  const [{ now }] = await runner.query<[{ now: number | string }]>(
    'SELECT UNIX_TIMESTAMP(SYSDATE(3)) * 1000 AS now',
  );
  return Number(now);
}

/** Returns the tables that are not InnoDB or have a different collation. */
export async function readOddTables(runner: StatementRunner): Promise<string[]> {
  const rows = await runner.query<{ name: string }[]>(
    `SELECT t.table_name AS name FROM information_schema.tables t
      WHERE t.table_schema = DATABASE() AND t.table_type = 'BASE TABLE'
        AND t.table_name NOT IN ('migrations', 'migration_lease', 'migration_progress', 'unfinished_restore')
        AND (t.engine <> 'InnoDB' OR t.table_collation <> 'utf8mb4_bin')
      ORDER BY t.table_name`,
  );
  return rows.map(({ name }) => name);
}
