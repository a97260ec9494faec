import { DataSource } from 'typeorm';
import { startRecord } from './engine-record';
import { schemaNames, unquotedNames } from './statement-check';

// Checks every statement that a suite sends through a data source; its tests fail for one that some engine would reject.
const { initialize } = DataSource.prototype;
const problems = new Set<string>();
const checked = new Set<string>();
const record = startRecord();

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
    }
    logQuery(sql, ...rest);
  };
  return initialize.call(this);
};

afterAll(() => {
  // The package is loaded once for all suites of a worker.
  DataSource.prototype.initialize = initialize;
  record?.write();
  expect([...problems]).toEqual([]);
});
