import { SqliteDatabase, type SqliteStatement } from '../../src/database/sqlite/node-sqlite';

interface Planner {
  /** Asked for permission whenever a statement is planned. Missing in Node's own SQLite of version 22. */
  setAuthorizer?(authorizer: (() => number) | null): void;
}

const plannerOf = (database: SqliteDatabase): Planner => Reflect.get(database, 'database') as Planner;

/** Whether this build of SQLite says when it plans. */
export function canSeePlans(): boolean {
  const database = new SqliteDatabase(':memory:');
  try {
    return plannerOf(database).setAuthorizer !== undefined;
  } finally {
    database.close();
  }
}

/** Statements of all suites of this worker that were checked. */
const checked = new Set<string>();

/**
 * Returns the statements that SQLite plans again when their parameters get other values, without those of an earlier call. None of them is
 * executed.
 */
export function plannedAnew(database: SqliteDatabase, statements: Iterable<string>): string[] {
  const planner = plannerOf(database);
  if (!planner.setAuthorizer) return [];
  let plans = 0;
  planner.setAuthorizer(() => {
    plans++;
    return 0;
  });
  try {
    return Array.from(statements).filter((sql) => {
      if (checked.has(sql)) return false;
      const explained = explain(database, sql);
      if (!explained) return false;
      checked.add(sql);
      const count = parameterCount(sql);
      // SQLite plans again before the first row.
      readFirstRow(explained, Array<number>(count).fill(1));
      const before = plans;
      readFirstRow(explained, Array<number>(count).fill(2));
      return plans > before;
    });
  } finally {
    planner.setAuthorizer(null);
  }
}

function readFirstRow(statement: SqliteStatement, parameters: readonly number[]): void {
  const rows = statement.iterate(...parameters);
  rows.next();
  // Nothing can be committed while a statement that writes is not at its end.
  rows.return(undefined);
}

/** Returns undefined for a statement that the schema no longer supports. */
function explain(database: SqliteDatabase, sql: string): SqliteStatement | undefined {
  try {
    return database.prepare(`EXPLAIN ${sql}`);
  } catch {
    return undefined;
  }
}

const parameterCount = (sql: string): number => sql.replaceAll(/'(?:[^']|'')*'/g, '').split('?').length - 1;
