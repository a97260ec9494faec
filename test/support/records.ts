import { type SqliteDatabase } from '../../src/database/sqlite/node-sqlite';
import { UsedStorageRepository } from '../../src/space/data/used-storage.repository';
import { isInBackground } from './background-statements';
import { type World } from './world';

/** An activity as it is stored. */
export interface ActivityRecord {
  type: number;
  createdUserId: number;
  content: Record<string, unknown>;
}

/** Returns the activities of a project, oldest first. */
export async function activitiesOf(world: World, project: { id: number }): Promise<ActivityRecord[]> {
  const rows = await world.dataSource.query<{ type: number; createdUserId: number; content: string }[]>(
    'SELECT type, created_user_id AS createdUserId, content FROM activity WHERE project_id = ? ORDER BY id',
    [project.id],
  );
  return rows.map((row) => ({ ...row, content: JSON.parse(row.content) as Record<string, unknown> }));
}

/** Columns that any request may update: the last use of an account, and locks. */
const UNCOUNTED = new Set(['last_login_time', 'last_used', 'lock_version']);

/** Counts the rows that the connection has written, and the commits of other connections. */
const CHANGES = 'SELECT total_changes() AS own, data_version AS others FROM pragma_data_version()';

/** What a world last had, and the changes to its embedded database until then. */
const lastStored = new WeakMap<World, { changes: string; stored: Record<string, unknown[]> }>();

/** Returns every row of every table, except last uses and locks: the data that no refused request may change. */
export async function everythingStored(world: World): Promise<Record<string, unknown[]>> {
  await world.whenIdle();
  const changes = changesOf(world);
  const last = lastStored.get(world);
  if (last && last.changes === changes) return last.stored;
  const stored = Object.freeze(await readEverything(world));
  // Only if nothing has been written meanwhile.
  if (changes !== undefined && changes === changesOf(world)) lastStored.set(world, { changes, stored });
  return stored;
}

/** Returns a text that differs after any row of the embedded database has been written, by whomever; undefined on a server. */
function changesOf({ dataSource }: World): string | undefined {
  const { databaseConnection: writer } = dataSource.driver as { databaseConnection?: SqliteDatabase };
  return writer && JSON.stringify(writer.prepare(CHANGES).all());
}

async function readEverything(world: World): Promise<Record<string, unknown[]>> {
  const tables: Record<string, unknown[]> = {};
  for (const { tableName, primaryColumns, columns } of world.dataSource.entityMetadatas) {
    const escape = (name: string): string => world.dataSource.driver.escape(name);
    const names = columns.map((column) => column.databaseName).filter((name) => !UNCOUNTED.has(name));
    const order = primaryColumns.map((column) => escape(column.databaseName)).join(', ');
    tables[tableName] = await world.dataSource.query<unknown[]>(
      `SELECT ${names.map(escape).join(', ')} FROM ${escape(tableName)} ORDER BY ${order}`,
    );
  }
  return tables;
}

/** Returns the bytes that the space counts for all files and repositories. */
export const usedBytes = (world: World): Promise<number> => world.service(UsedStorageRepository).sum();

/** Statements that look up the caller or record their last use, which are sent only now and then. */
const ABOUT_CALLER = /\bFROM api_key k\b|\b(?:last_login_time|last_used) = \?/;

/** Runs `work` and returns every SQL statement that the service sent, except those about the caller. */
export async function statementsOf(world: World, work: () => Promise<unknown>): Promise<string[]> {
  return (await allStatementsOf(world, work)).filter((sql) => !ABOUT_CALLER.test(sql));
}

/** Runs `work` and returns every SQL statement that the service sent for it, not those of its own background work. */
export const allStatementsOf = (world: World, work: () => Promise<unknown>): Promise<string[]> =>
  recordStatements(world, work, () => !isInBackground());

/** Runs background work and returns every SQL statement that the service sent meanwhile. */
export const backgroundStatementsOf = (world: World, work: { start(): void }): Promise<string[]> =>
  recordStatements(
    world,
    () => {
      work.start();
      return world.background.whenIdle();
    },
    isInBackground,
  );

/** Runs `work` and returns every SQL statement that the service sent meanwhile, also in the background. */
export const everyStatementOf = (world: World, work: () => Promise<unknown>): Promise<string[]> =>
  recordStatements(world, work, () => true);

async function recordStatements(
  world: World,
  work: () => Promise<unknown>,
  isWanted: () => boolean,
): Promise<string[]> {
  await world.whenIdle();
  const statements: string[] = [];
  // Every path to the database calls the logger.
  const { logger } = world.dataSource;
  const { logQuery } = logger;
  logger.logQuery = (sql) => {
    if (isWanted()) statements.push(sql);
  };
  try {
    await work();
  } finally {
    logger.logQuery = logQuery;
  }
  return statements;
}

/** Returns the statements that read users, not those that only have a condition on them. */
export const readsOfUsers = (statements: readonly string[]): string[] =>
  statements.filter((sql) =>
    /\b(?:FROM|JOIN) [`"]?user[`"]?\s/.test(sql.replaceAll(/EXISTS \([^)]*\)/g, '')),
  );

const WRITES = /^\s*(?:INSERT|UPDATE|DELETE|REPLACE)\b/i;

/** Returns the writing statements of `work`, which no refused request may send. */
export async function writesOf(world: World, work: () => Promise<unknown>): Promise<string[]> {
  const statements = await statementsOf(world, work);
  return statements.filter((sql) => WRITES.test(sql));
}
