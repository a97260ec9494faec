import { type DataSource, type EntityManager } from 'typeorm';

/** Anything that can run a statement: a data source, the manager of a transaction, a search. */
export type StatementRunner = Pick<EntityManager, 'query'>;

/** A statement runner that knows the entities: a data source, or the manager of a transaction. */
export type EntityRunner = DataSource | EntityManager;

/** A statement, or a part of one, with its parameters. */
export interface Sql {
  sql: string;
  parameters: unknown[];
}

/** Returns the placeholders of an IN list: `?,?,?`. */
export const placeholders = (values: readonly unknown[]): string => Array(values.length).fill('?').join(',');

/** Returns an IN list, padded with its last value to one of a few lengths, so that the same prepared statement serves many lengths. */
export function inList<Value>(values: readonly Value[]): { sql: string; parameters: Value[] } {
  // Some engines reject an empty list.
  if (values.length === 0) return { sql: 'IN (NULL)', parameters: [] };
  const step = values.length <= 8 ? 1 : values.length <= 64 ? 4 : 32;
  const size = Math.ceil(values.length / step) * step;
  const parameters = [...values];
  const last = values.at(-1);
  while (last !== undefined && parameters.length < size) parameters.push(last);
  return { sql: `IN (${placeholders(parameters)})`, parameters };
}

/**
 * Locks a row for the rest of the transaction, so that no other transaction changes it or adds to it, and returns whether it still exists.
 * Must be the transaction's first statement about the row, so that later ones read no older state. The lock is a write to the column of
 * `LockVersionColumn`: on a cluster, locks without a write apply only to their node (`docs/decisions/0027-transactions-on-a-cluster.md`).
 */
export async function lockRow(manager: EntityManager, table: string, id: number): Promise<boolean> {
  if (isEmbedded(manager.dataSource)) {
    const rows = await manager.query<unknown[]>(`SELECT id FROM ${quoted(table)} WHERE id = ?`, [id]);
    return rows.length > 0;
  }
  return (await lockRows(manager, table, 'WHERE id = ?', [id])) > 0;
}

/**
 * Locks rows like `lockRow` and returns their number. On the embedded database, where a transaction runs alone, does nothing and returns 0.
 * @param rest SQL after `UPDATE … SET …`, with an ORDER BY if other transactions lock several of the same rows
 */
export async function lockRows(
  manager: EntityManager,
  table: string,
  rest: string,
  parameters: readonly unknown[],
): Promise<number> {
  if (isEmbedded(manager.dataSource)) return 0;
  const sql = `UPDATE ${quoted(table)} SET lock_version = lock_version + 1 ${rest}`;
  return affectedRows(manager, sql, parameters);
}

/**
 * Returns the suffix of a SELECT of rows that the transaction then changes, deletes or references, which a cluster checks at commit. It
 * avoids conflicts between transactions on one server; where only the lock protects the data, use `lockRow`.
 */
export const forWrite = (manager: EntityManager): string =>
  isEmbedded(manager.dataSource) ? '' : ' FOR UPDATE';

/**
 * Returns the suffix of a SELECT that protects its rows from changes and deletion until the transaction ends; other transactions may lock
 * them in the same way.
 */
const forShare = (manager: EntityManager): string =>
  isEmbedded(manager.dataSource) ? '' : ' LOCK IN SHARE MODE';

/**
 * Runs a SELECT that protects its rows from changes and deletion until the transaction ends; other transactions may lock them in the same
 * way. Reads the currently committed data, regardless of the transaction's earlier reads.
 */
export function selectForShare<Row>(
  manager: EntityManager,
  sql: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  return manager.query<Row[]>(sql + forShare(manager), [...parameters]);
}

/** Whether the database is SQLite, which has one writer at a time and no row locks. */
export const isEmbedded = (dataSource: DataSource): boolean => dataSource.options.type === 'better-sqlite3';

/**
 * Returns an index hint for a table whose rows are looked up by a list of values. A server chooses by its statistics, which can be wrong after
 * many rows have been added: it then reads the whole table. The embedded database has none, and always uses the index.
 */
export const forced = (dataSource: DataSource, index: string): string =>
  isEmbedded(dataSource) ? '' : `FORCE INDEX (${index})`;

/** Returns an index hint for rows in the order of an index. No engine uses another index, or sorts by itself what the index has in order. */
export const using = (dataSource: DataSource, index: string): string =>
  isEmbedded(dataSource) ? `INDEXED BY ${index}` : `FORCE INDEX (${index})`;

/** Pads a list to a power of two, so that a few statements serve all lengths; the added items must match nothing. */
export function padToPowerOfTwo<Item>(items: readonly Item[], added: Item): Item[] {
  if (items.length === 0) return [];
  const length = 2 ** Math.ceil(Math.log2(items.length));
  return [...items, ...Array<Item>(length - items.length).fill(added)];
}

/** Quotes a name in a way that every engine accepts; a name that no engine reserves today may be reserved by the next version. */
export const quoted = (name: string): string => `\`${name}\``;

/** Returns columns of the table `alias` under their property names after a prefix: ``i.`key_id` AS `keyId` ``. */
export const columnsOf = (alias: string, names: readonly string[], prefix = ''): string =>
  names.map((name) => `${alias}.${quoted(toColumnName(name))} AS ${quoted(prefix + name)}`).join(', ');

const columnNames = new Map<string, string>();

/** Returns the column of a property according to the naming strategy. */
export function toColumnName(property: string): string {
  let name = columnNames.get(property);
  if (name === undefined) {
    name = property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    columnNames.set(property, name);
  }
  return name;
}

/** Runs an UPDATE or DELETE in a transaction and returns the number of matched rows. */
export async function affectedRows(
  manager: EntityManager,
  sql: string,
  parameters: readonly unknown[],
): Promise<number> {
  if (!manager.queryRunner) throw new Error('A conditional write needs a transaction');
  const result = await manager.queryRunner.query(sql, [...parameters], true);
  return result.affected ?? 0;
}
