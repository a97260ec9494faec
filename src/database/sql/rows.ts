import { DataSource, type EntityManager, type EntityMetadata, type ObjectLiteral } from 'typeorm';
import { type ColumnMetadata } from 'typeorm/metadata/ColumnMetadata';
import { isLongText } from '../schema/columns';
import { eachInTurns } from './in-turns';
import { type EntityRunner, isEmbedded, placeholders, quoted } from './statements';

/** The class of an entity. */
export type EntityClass<Entity> = new () => Entity;

interface PreparedSelect {
  /** Columns, each aliased to its property name. */
  columns: string;
  /** Conversions from the driver's values to the entity's, where they differ. */
  hydrations: Hydration[];
}

interface Hydration {
  property: string;
  hydrate: (value: unknown) => unknown;
  /** Whether values are JSON texts of any length. */
  mayBeLong: boolean;
}

const preparedSelects = new WeakMap<EntityMetadata, Map<string, PreparedSelect>>();

/**
 * Reads columns of an entity's rows under their property names and with the entity's types: booleans, JSON values, hours. TypeORM's own
 * `find` rebuilds its statement each time.
 * @param rest SQL after `FROM table`: joins, conditions, order. Must qualify columns of the entity with its table's name where a join makes
 * them ambiguous
 */
export async function selectRows<Entity extends ObjectLiteral, Key extends keyof Entity & string>(
  runner: EntityRunner,
  entity: EntityClass<Entity>,
  keys: readonly Key[],
  rest = '',
  parameters: readonly unknown[] = [],
): Promise<Pick<Entity, Key>[]> {
  const table = metadataOf(runner, entity).tableName;
  const rows = await runner.query<Pick<Entity, Key>[]>(
    `SELECT ${entityColumns(runner, entity, keys)} FROM ${quoted(table)} ${rest}`,
    [...parameters],
  );
  return hydrateRows(runner, entity, keys, rows);
}

/**
 * Returns the first row of `selectRows`, or undefined.
 * @param rest must have a condition that matches at most one row, or its own LIMIT
 */
export async function selectRow<Entity extends ObjectLiteral, Key extends keyof Entity & string>(
  runner: EntityRunner,
  entity: EntityClass<Entity>,
  keys: readonly Key[],
  rest: string,
  parameters: readonly unknown[] = [],
): Promise<Pick<Entity, Key> | undefined> {
  const [row] = await selectRows(runner, entity, keys, rest, parameters);
  return row;
}

/**
 * Returns the SQL between SELECT and FROM for columns of an entity, for a statement that reads several tables. Its rows must go through
 * `hydrateRows`.
 * @param alias alias of the entity's table in the statement; empty = columns are not qualified
 */
export function entityColumns<Entity extends ObjectLiteral>(
  runner: EntityRunner,
  entity: EntityClass<Entity>,
  keys: readonly (keyof Entity & string)[],
  alias?: string,
): string {
  return prepareSelect(metadataOf(runner, entity), keys, alias).columns;
}

/**
 * Converts columns of rows from the driver's types to the entity's. Modifies the rows.
 * @returns a promise if their JSON values are so long that other work has its turn in between
 */
export function hydrateRows<Row extends ObjectLiteral, Entity extends ObjectLiteral>(
  runner: EntityRunner,
  entity: EntityClass<Entity>,
  keys: readonly (keyof Entity & keyof Row & string)[],
  rows: Row[],
): Row[] | Promise<Row[]> {
  return convertColumns(rows, prepareSelect(metadataOf(runner, entity), keys).hydrations);
}

function convertColumns<Row>(rows: Row[], hydrations: readonly Hydration[]): Row[] | Promise<Row[]> {
  const values = rows as Record<string, unknown>[];
  let converted = 0;
  for (const { property, hydrate, mayBeLong } of hydrations) {
    converted++;
    if (!mayBeLong) {
      for (const row of values) row[property] = hydrate(row[property]);
      continue;
    }
    const rest = eachInTurns(values, property, (row) => {
      row[property] = hydrate(row[property]);
    });
    if (rest) return rest.then(() => convertColumns(rows, hydrations.slice(converted)));
  }
  return rows;
}

function prepareSelect(
  metadata: EntityMetadata,
  properties: readonly string[],
  alias = metadata.tableName,
): PreparedSelect {
  const byProperties = preparedSelects.get(metadata) ?? new Map<string, PreparedSelect>();
  preparedSelects.set(metadata, byProperties);
  const key = `${alias} ${properties.join()}`;
  let prepared = byProperties.get(key);
  if (!prepared) {
    const columns = properties.map((property) => ({ property, column: columnOf(metadata, property) }));
    const qualifier = alias === '' ? '' : `${quoted(alias)}.`;
    prepared = {
      columns: columns
        .map(({ property, column }) => `${qualifier}${quoted(column.databaseName)} AS ${quoted(property)}`)
        .join(', '),
      hydrations: columns.flatMap(({ property, column }) => {
        const hydrate = hydrationOf(column);
        return hydrate ? [{ property, hydrate, mayBeLong: isLongText(column) }] : [];
      }),
    };
    byProperties.set(key, prepared);
  }
  return prepared;
}

/** Returns undefined if both drivers already return the entity's values, as they do for 64-bit integers. */
function hydrationOf({ type, transformer }: ColumnMetadata): Hydration['hydrate'] | undefined {
  if (type === 'boolean') return (value) => (value === null ? null : Boolean(value));
  if (type === 'bigint' || !transformer || Array.isArray(transformer)) return undefined;
  return (value) => transformer.from(value) as unknown;
}

const metadataOf = <Entity>(runner: EntityRunner, entity: EntityClass<Entity>): EntityMetadata =>
  (runner instanceof DataSource ? runner : runner.dataSource).getMetadata(entity);

function columnOf(metadata: EntityMetadata, property: string): ColumnMetadata {
  const column = metadata.findColumnWithPropertyName(property);
  if (!column) throw new Error(`${metadata.name} has no column for ${property}`);
  return column;
}

interface PreparedInsert {
  metadata: EntityMetadata;
  columns: ColumnMetadata[];
  head: string;
  tuple: string;
}

const preparedInserts = new WeakMap<EntityMetadata, Map<string, PreparedInsert>>();

/**
 * Inserts rows of one entity with one parametrised statement and returns the id of the first; the other ids are larger, but not consecutive
 * on every server. All rows must have the same fields. TypeORM's own `insert()` rebuilds its statement each time, which cost half the speed
 * of adding a comment.
 */
export async function insertRows<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityClass<Entity>,
  rows: readonly Partial<Entity>[],
): Promise<number> {
  const numbered = numberRows(manager, entity, rows);
  const { sql, values } = toInsert(manager, entity, numbered?.rows ?? rows);
  const result: unknown = await manager.query(sql, values);
  if (numbered) return numbered.firstId;
  // SQLite returns the last id, the MySQL family the first.
  return typeof result === 'number' ? result - rows.length + 1 : (result as { insertId: number }).insertId;
}

/** Same as `insertRows`, but returns columns of the rows as `selectRows` does, in no particular order. Not supported by MySQL. */
export async function insertRowsReturning<Entity extends ObjectLiteral, Key extends keyof Entity & string>(
  manager: EntityManager,
  entity: EntityClass<Entity>,
  rows: readonly Partial<Entity>[],
  keys: readonly Key[],
): Promise<Pick<Entity, Key>[]> {
  const { sql, values } = toInsert(manager, entity, numberRows(manager, entity, rows)?.rows ?? rows);
  const columns = entityColumns(manager, entity, keys, '');
  const written = await manager.query<Pick<Entity, Key>[]>(`${sql} RETURNING ${columns}`, values);
  return hydrateRows(manager, entity, keys, written);
}

/** Last id assigned in each table while `numberingFromOne` runs. */
const lastIds = new WeakMap<DataSource, Map<EntityMetadata, number>>();

/**
 * Numbers the rows that `work` inserts into an empty database from 1 in each table. By default, the servers of a cluster number rows in
 * steps.
 */
export async function numberingFromOne<T>(dataSource: DataSource, work: () => Promise<T>): Promise<T> {
  lastIds.set(dataSource, new Map());
  try {
    return await work();
  } finally {
    lastIds.delete(dataSource);
  }
}

/** Returns the rows with their assigned ids; undefined unless `numberingFromOne` runs. */
function numberRows<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityClass<Entity>,
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

/** Whether the engine supports `insertRowsReturning`. */
export const canReturnRows = (manager: EntityManager): boolean => manager.dataSource.options.type !== 'mysql';

/**
 * Inserts one row unless one with its key exists, without reading first. Servers also ignore all other errors of the row: it must fit its
 * columns.
 */
export async function insertRowIfMissing<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityClass<Entity>,
  row: Partial<Entity>,
): Promise<void> {
  const { sql, values } = toInsert(manager, entity, [row]);
  const ignore = isEmbedded(manager.dataSource) ? 'INSERT OR IGNORE' : 'INSERT IGNORE';
  await manager.query(sql.replace(/^INSERT/, ignore), values);
}

/**
 * Inserts rows; if one with the same unique key already exists, its column `raised` becomes the larger of both values.
 * @param key the columns of the unique key
 */
export async function insertRowsOrRaise<Entity extends ObjectLiteral, Key extends keyof Entity & string>(
  manager: EntityManager,
  entity: EntityClass<Entity>,
  rows: readonly Partial<Entity>[],
  { key, raised }: { key: readonly Key[]; raised: Key },
): Promise<void> {
  const { sql, values } = toInsert(manager, entity, rows);
  const metadata = metadataOf(manager, entity);
  const column = quoted(columnOf(metadata, raised).databaseName);
  const keyColumns = key.map((name) => quoted(columnOf(metadata, name).databaseName)).join(',');
  const rest = isEmbedded(manager.dataSource)
    ? `ON CONFLICT (${keyColumns}) DO UPDATE SET ${column} = MAX(${column}, excluded.${column})`
    : `ON DUPLICATE KEY UPDATE ${column} = GREATEST(${column}, VALUES(${column}))`;
  await manager.query(`${sql} ${rest}`, values);
}

/** Inserts one row and returns its id. */
export function insertRow<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityClass<Entity>,
  row: Partial<Entity>,
): Promise<number> {
  return insertRows(manager, entity, [row]);
}

/** Updates columns of one row by property name and with the entity's types; a value of `undefined` leaves its column unchanged. */
export async function updateRow<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityClass<Entity>,
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

function toInsert<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityClass<Entity>,
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
  entity: EntityClass<ObjectLiteral>,
  properties: string[],
): PreparedInsert {
  const metadata = manager.dataSource.getMetadata(entity);
  const byProperties = preparedInserts.get(metadata) ?? new Map<string, PreparedInsert>();
  preparedInserts.set(metadata, byProperties);
  const key = properties.join();
  let prepared = byProperties.get(key);
  if (!prepared) {
    const columns = properties.map((property) => columnOf(metadata, property));
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
