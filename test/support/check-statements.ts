import { DataSource } from 'typeorm';
import { type SqliteDatabase } from '../../src/database/sqlite/node-sqlite';
import { startRecord } from './engine-record';
import { plannedAnew } from './planned-anew';
import { schemaNames, unquotedNames } from './statement-check';

// Checks every statement that a suite sends through a data source; its tests fail for one that some engine would reject, or that SQLite
// would plan anew for each execution.
const { initialize, destroy } = DataSource.prototype;
const problems = new Set<string>();
const checked = new Set<string>();
const record = startRecord();
/** Statements with parameters whose plans are checked before the data source closes. */
const uncheckedPlans = new WeakMap<DataSource, string[]>();

DataSource.prototype.initialize = async function (this: DataSource) {
  const { logger } = this;
  const logQuery = logger.logQuery.bind(logger);
  let names: Set<string> | undefined;
  logger.logQuery = (sql, ...rest) => {
    if (this.isInitialized && !checked.has(sql)) {
      checked.add(sql);
      names ??= schemaNames(this);
      for (const name of unquotedNames(sql, names)) problems.add(`${name} is not quoted in: ${sql}`);
      if (this.options.type !== 'better-sqlite3') record?.addStatement(sql);
      else if (sql.includes('?')) uncheckedPlans.get(this)?.push(sql);
    }
    logQuery(sql, ...rest);
  };
  uncheckedPlans.set(this, []);
  return initialize.call(this);
};

DataSource.prototype.destroy = async function (this: DataSource) {
  const { databaseConnection } = this.driver as unknown as { databaseConnection?: SqliteDatabase };
  const statements = uncheckedPlans.get(this) ?? [];
  if (databaseConnection && statements.length > 0) {
    for (const sql of plannedAnew(databaseConnection, statements)) problems.add(`SQLite plans anew: ${sql}`);
  }
  return destroy.call(this);
};

afterAll(() => {
  // The package is loaded once for all suites of a worker.
  Object.assign(DataSource.prototype, { initialize, destroy });
  record?.write();
  expect([...problems]).toEqual([]);
});
