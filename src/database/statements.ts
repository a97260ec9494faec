import { type DataSource, type EntityManager } from 'typeorm';

/** Anything that can run a statement: a data source, the manager of a transaction, a search. */
export type StatementRunner = Pick<EntityManager, 'query'>;

/** What runs statements and knows the entities: a data source, or the manager of a transaction. */
export type EntityRunner = DataSource | EntityManager;

/** Placeholders for an IN list: `?,?,?`. */
export const placeholders = (values: readonly unknown[]): string => Array(values.length).fill('?').join(',');

/**
 * An IN list whose length is one of a few, the last value repeated, so that the same statement serves many lengths and
 * stays prepared.
 */
export function inList<Value>(values: readonly Value[]): { sql: string; parameters: Value[] } {
  // An empty list is no SQL for some engines.
  if (values.length === 0) return { sql: 'IN (NULL)', parameters: [] };
  const step = values.length <= 8 ? 1 : values.length <= 64 ? 4 : 32;
  const size = Math.ceil(values.length / step) * step;
  const parameters = [...values];
  const last = values.at(-1);
  while (last !== undefined && parameters.length < size) parameters.push(last);
  return { sql: `IN (${placeholders(parameters)})`, parameters };
}

/**
 * Locks a row for the rest of the transaction, so that nobody else changes it or adds to it meanwhile, and returns whether it is
 * still there. The transaction's first statement about the row, so that it reads no older state afterwards. The lock is a write,
 * to the column of `LockVersionColumn`: on a cluster, locks without one end at their node
 * (`docs/decisions/0027-transactions-on-a-cluster.md`).
 */
export async function lockRow(manager: EntityManager, table: string, id: number): Promise<boolean> {
  if (isEmbedded(manager.dataSource)) {
    const rows = await manager.query<unknown[]>(`SELECT id FROM ${quoted(table)} WHERE id = ?`, [id]);
    return rows.length > 0;
  }
  return (await lockRows(manager, table, 'WHERE id = ?', [id])) > 0;
}

/**
 * Locks rows as `lockRow` does one, and returns how many there are; on the embedded database, where a transaction is alone, it
 * does nothing and returns 0.
 * @param rest what follows `UPDATE … SET …`, with an ORDER BY wherever others lock several of the same rows
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
 * The end of a SELECT of rows that the transaction then changes, deletes or refers to, which a cluster checks at the commit. It
 * keeps transactions on one server out of each other's way; where the lock alone protects something, there is `lockRow`.
 */
export const forWrite = (manager: EntityManager): string =>
  isEmbedded(manager.dataSource) ? '' : ' FOR UPDATE';

/** The end of a SELECT whose rows nobody changes or removes before the transaction ends; others may take them in the same way. */
const forShare = (manager: EntityManager): string =>
  isEmbedded(manager.dataSource) ? '' : ' LOCK IN SHARE MODE';

/**
 * Runs a SELECT whose rows nobody changes or removes before the transaction ends; others may take them in the same way. It
 * reads what is committed now, whatever the transaction has read before.
 */
export function selectForShare<Row>(
  manager: EntityManager,
  sql: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  return manager.query<Row[]>(sql + forShare(manager), [...parameters]);
}

/** Whether it is SQLite, which has one writer at a time and no locks on rows. */
export const isEmbedded = (dataSource: DataSource): boolean => dataSource.options.type === 'better-sqlite3';

/** A name in quotes that every engine takes; one that no engine reserves today may be reserved by the next version. */
export const quoted = (name: string): string => `\`${name}\``;

/** Columns of the table `alias` under the names that the entity gives them, after a prefix: ``i.`key_id` AS `keyId` ``. */
export const columnsOf = (alias: string, names: readonly string[], prefix = ''): string =>
  names.map((name) => `${alias}.${quoted(toColumnName(name))} AS ${quoted(prefix + name)}`).join(', ');

/** The column of a property, as the naming strategy has it. */
export const toColumnName = (property: string): string =>
  property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Runs an UPDATE or DELETE in a transaction and tells how many rows it met. */
export async function affectedRows(
  manager: EntityManager,
  sql: string,
  parameters: readonly unknown[],
): Promise<number> {
  if (!manager.queryRunner) throw new Error('A conditional write needs a transaction');
  const result = await manager.queryRunner.query(sql, [...parameters], true);
  return result.affected ?? 0;
}
