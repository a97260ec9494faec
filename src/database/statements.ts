import { type DataSource, type EntityManager, type EntityMetadata, type ObjectLiteral } from 'typeorm';
import { type ColumnMetadata } from 'typeorm/metadata/ColumnMetadata';

/** Anything that can run a statement: a data source, or the manager of a transaction. */
export type StatementRunner = Pick<EntityManager, 'query'>;

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

interface PreparedInsert {
  metadata: EntityMetadata;
  columns: ColumnMetadata[];
  head: string;
  tuple: string;
}

const preparedInserts = new WeakMap<EntityMetadata, Map<string, PreparedInsert>>();

/**
 * Inserts rows of one entity with one parametrised statement and gives the id of the first; the ids of the others are
 * larger, but not the next ones on every server. All rows have the same fields. TypeORM's own `insert()` builds its statement anew each time, which cost half the speed of adding a comment.
 */
export async function insertRows<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: new () => Entity,
  rows: readonly Partial<Entity>[],
): Promise<number> {
  const numbered = numberRows(manager, entity, rows);
  const { sql, values } = toInsert(manager, entity, numbered?.rows ?? rows);
  const result: unknown = await manager.query(sql, values);
  if (numbered) return numbered.firstId;
  // SQLite tells the last id, the MySQL family the first.
  return typeof result === 'number' ? result - rows.length + 1 : (result as { insertId: number }).insertId;
}

/**
 * The same, and gives columns of the rows as they were written. In no certain order; only where the engine can: not on MySQL.
 * @param columns as in a SELECT
 */
export async function insertRowsReturning<Entity extends ObjectLiteral, Row>(
  manager: EntityManager,
  entity: new () => Entity,
  rows: readonly Partial<Entity>[],
  columns: string,
): Promise<Row[]> {
  const { sql, values } = toInsert(manager, entity, numberRows(manager, entity, rows)?.rows ?? rows);
  return manager.query<Row[]>(`${sql} RETURNING ${columns}`, values);
}

/** The last id that rows of a table have been given, while `numberingFromOne` runs. */
const lastIds = new WeakMap<DataSource, Map<EntityMetadata, number>>();

/**
 * Has the rows that are inserted into an empty database while `work` runs numbered from 1 in each table. Left to themselves
 * the servers of a cluster number in steps.
 */
export async function numberingFromOne<T>(dataSource: DataSource, work: () => Promise<T>): Promise<T> {
  lastIds.set(dataSource, new Map());
  try {
    return await work();
  } finally {
    lastIds.delete(dataSource);
  }
}

/** The rows with their ids, if they are to have certain ones. */
function numberRows<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: new () => Entity,
  rows: readonly Partial<Entity>[],
): { firstId: number; rows: Partial<Entity>[] } | undefined {
  const ids = lastIds.get(manager.dataSource);
  if (!ids) return undefined;
  const metadata = manager.dataSource.getMetadata(entity);
  const [column] = metadata.generatedColumns;
  if (!column) return undefined;
  const firstId = (ids.get(metadata) ?? 0) + 1;
  ids.set(metadata, firstId + rows.length - 1);
  return { firstId, rows: rows.map((row, index) => ({ ...row, [column.propertyName]: firstId + index })) };
}

/** Whether `insertRowsReturning` can be used. */
export const canReturnRows = (manager: EntityManager): boolean => manager.dataSource.options.type !== 'mysql';

/**
 * Inserts one row unless there is one with its key, without reading first. On servers nothing else that is wrong with the row
 * fails either: it must fit its columns.
 */
export async function insertRowIfMissing<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: new () => Entity,
  row: Partial<Entity>,
): Promise<void> {
  const { sql, values } = toInsert(manager, entity, [row]);
  const ignore = isEmbedded(manager.dataSource) ? 'INSERT OR IGNORE' : 'INSERT IGNORE';
  await manager.query(sql.replace(/^INSERT/, ignore), values);
}

/** Inserts one row and gives its id. */
export function insertRow<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: new () => Entity,
  row: Partial<Entity>,
): Promise<number> {
  return insertRows(manager, entity, [row]);
}

/**
 * Updates columns of one row by the names and types that the entity gives them; a value that is `undefined` leaves its
 * column alone.
 */
export async function updateRow<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: new () => Entity,
  id: number,
  changes: Partial<Entity>,
): Promise<void> {
  const properties = Object.keys(changes).filter((name) => changes[name] !== undefined);
  if (properties.length === 0) return;
  const { metadata, columns } = prepareInsert(manager, entity, properties);
  const { driver } = metadata.dataSource;
  const assignments = columns.map((column) => `${driver.escape(column.databaseName)} = ?`).join(', ');
  const values = columns.map(
    (column) => driver.preparePersistentValue(changes[column.propertyName], column) as unknown,
  );
  await manager.query(`UPDATE ${driver.escape(metadata.tableName)} SET ${assignments} WHERE id = ?`, [
    ...values,
    id,
  ]);
}

/**
 * Takes a row for the rest of the transaction, so that nobody else changes it or adds to it meanwhile, and tells whether it
 * is still there. What the transaction reads first, so that it reads no older state afterwards.
 */
export async function lockRow(manager: EntityManager, table: string, id: number): Promise<boolean> {
  const rows = await selectForUpdate(manager, `SELECT id FROM ${quoted(table)} WHERE id = ?`, [id]);
  return rows.length > 0;
}

/** Runs a SELECT that takes its rows as `lockRow` takes one. */
export function selectForUpdate<Row>(
  manager: EntityManager,
  sql: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  const lock = isEmbedded(manager.dataSource) ? '' : ' FOR UPDATE';
  return manager.query<Row[]>(sql + lock, [...parameters]);
}

/**
 * Runs a SELECT whose rows nobody changes or removes before the transaction ends; others may take them in the same way. It
 * reads what is committed now, whatever the transaction has read before.
 */
export function selectForShare<Row>(
  manager: EntityManager,
  sql: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  const lock = isEmbedded(manager.dataSource) ? '' : ' LOCK IN SHARE MODE';
  return manager.query<Row[]>(sql + lock, [...parameters]);
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

function toInsert<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: new () => Entity,
  rows: readonly Partial<Entity>[],
): { sql: string; values: unknown[] } {
  const [first] = rows;
  if (!first) throw new Error(`No rows to insert into ${entity.name}`);
  const { metadata, columns, head, tuple } = prepareInsert(manager, entity, Object.keys(first));
  const { driver } = metadata.dataSource;
  const values = rows.flatMap((row) =>
    columns.map((column) => driver.preparePersistentValue(row[column.propertyName], column) as unknown),
  );
  const tuples = rows.length === 1 ? tuple : Array<string>(rows.length).fill(tuple).join(',');
  return { sql: head + tuples, values };
}

function prepareInsert(
  manager: EntityManager,
  entity: new () => ObjectLiteral,
  properties: string[],
): PreparedInsert {
  const metadata = manager.dataSource.getMetadata(entity);
  const byProperties = preparedInserts.get(metadata) ?? new Map<string, PreparedInsert>();
  preparedInserts.set(metadata, byProperties);
  const key = properties.join();
  let prepared = byProperties.get(key);
  if (!prepared) {
    const columns = properties.map((property) => {
      const column = metadata.findColumnWithPropertyName(property);
      if (!column) throw new Error(`${entity.name} has no column for ${property}`);
      return column;
    });
    const escape = (name: string): string => metadata.dataSource.driver.escape(name);
    const names = columns.map((column) => escape(column.databaseName)).join(',');
    prepared = {
      metadata,
      columns,
      head: `INSERT INTO ${escape(metadata.tableName)} (${names}) VALUES `,
      tuple: `(${placeholders(columns)})`,
    };
    byProperties.set(key, prepared);
  }
  return prepared;
}
