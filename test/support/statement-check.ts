import { DataSource } from 'typeorm';
import { isReserved } from './reserved-words';

/** Strings, quoted names, comments, words and everything else, one by one. */
const TOKENS = /'(?:[^'\\]|\\.|'')*'|"[^"]*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\/|[a-z_][\w$]*|\S/gi;
const WORD = /^[a-z_]/i;
/** What follows AS in a CAST. */
const TYPES = new Set(['binary', 'char', 'decimal', 'double', 'integer', 'real', 'signed', 'unsigned']);

/**
 * The names in a statement that are reserved on one of the engines and not quoted.
 * @param names of tables, columns, indexes and constraints, in lower case
 */
export function unquotedNames(sql: string, names: ReadonlySet<string>): string[] {
  const tokens = (sql.match(TOKENS) ?? []).map((token) => token.toLowerCase());
  return tokens.filter((token, index) => {
    if (!WORD.test(token) || !isReserved(token)) return false;
    return names.has(token) || (tokens[index - 1] === 'as' && !TYPES.has(token));
  });
}

/** Every name of a data source's entities, in lower case. */
export function schemaNames({ entityMetadatas }: DataSource): Set<string> {
  const names = entityMetadatas.flatMap(({ tableName, columns, indices, uniques, foreignKeys }) => [
    tableName,
    ...columns.map(({ databaseName }) => databaseName),
    ...[...indices, ...uniques, ...foreignKeys].map(({ name }) => name),
  ]);
  return new Set(names.map((name) => name.toLowerCase()));
}

const problems = new Set<string>();

/** Looks at every statement that the process sends through a data source from here on; the tests of the file fail for a bad one. */
function checkStatements(): void {
  const { initialize } = DataSource.prototype;
  const checked = new Set<string>();
  DataSource.prototype.initialize = async function (this: DataSource) {
    const { logger } = this;
    const logQuery = logger.logQuery.bind(logger);
    let names: Set<string> | undefined;
    logger.logQuery = (sql, ...rest) => {
      if (this.isInitialized && !checked.has(sql)) {
        checked.add(sql);
        names ??= schemaNames(this);
        for (const name of unquotedNames(sql, names)) problems.add(`${name} is not quoted in: ${sql}`);
      }
      logQuery(sql, ...rest);
    };
    return initialize.call(this);
  };
  afterAll(() => {
    // The package is loaded once for all suites of a worker.
    DataSource.prototype.initialize = initialize;
    expect([...problems]).toEqual([]);
  });
}

// A child process of a test has no test to fail.
if (typeof afterAll === 'function') checkStatements();
