import { type DataSource } from 'typeorm';
import { isReserved } from './reserved-words';

/** Splits a statement into strings, quoted names, comments, words and single characters. */
const TOKENS = /'(?:[^'\\]|\\.|'')*'|"[^"]*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\/|[a-z_][\w$]*|\S/gi;
const WORD = /^[a-z_]/i;
/** Types that can follow AS in a CAST. */
const TYPES = new Set(['binary', 'char', 'decimal', 'double', 'integer', 'real', 'signed', 'unsigned']);

/**
 * Returns the unquoted names in a statement that are reserved on one of the engines.
 * @param names of tables, columns, indexes and constraints, in lower case
 */
export function unquotedNames(sql: string, names: ReadonlySet<string>): string[] {
  const tokens = (sql.match(TOKENS) ?? []).map((token) => token.toLowerCase());
  return tokens.filter((token, index) => {
    if (!WORD.test(token) || !isReserved(token)) return false;
    return names.has(token) || (tokens[index - 1] === 'as' && !TYPES.has(token));
  });
}

/** Returns every name of a data source's entities, in lower case. */
export function schemaNames({ entityMetadatas }: DataSource): Set<string> {
  const names = entityMetadatas.flatMap(({ tableName, columns, indices, uniques, foreignKeys }) => [
    tableName,
    ...columns.map(({ databaseName }) => databaseName),
    ...[...indices, ...uniques, ...foreignKeys].map(({ name }) => name),
  ]);
  return new Set(names.map((name) => name.toLowerCase()));
}
