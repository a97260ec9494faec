import { createHash } from 'node:crypto';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import mysql, { type Connection, type RowDataPacket } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import { entities } from '../../src/app.entities';
import { createDataSource } from '../../src/database/connections/data-source';
import { migrateDatabase } from '../../src/database/migrating/migrate';
import {
  createLastingTestDatabase,
  createTestDatabase,
  type LastingTestDatabase,
  serverOf,
} from './database';

/** Environment variable that gives workers the path of the migrated file, or of the file with the `Template` of a server. */
const TEMPLATE = 'TEST_DATABASE_TEMPLATE';

/** Number of rows in a table from which dropping a database is faster than emptying it. */
const MOST_ROWS = 5000;

/** How often to check that former users of a database have disconnected, followed by the interval in milliseconds. */
const LOOKS = 40;
const LOOK_INTERVAL_MS = 25;

/** The content of a migrated database on a server. */
interface Template {
  /** The statements that create its tables. */
  tables: string[];
  /** The statements that insert its rows. */
  rows: string[];
  /** Changes with the definition of any table, index or constraint. */
  fingerprint: string;
}

/** Unused migrated databases by server, because a server takes longer to create the tables than many suites run. */
const kept = new Map<string, LastingTestDatabase[]>();

/** Migrates one database and keeps the result, because migrating one for each suite takes many times as long. */
export async function writeTemplate(): Promise<void> {
  const { url, drop } = await createTestDatabase();
  const file = join(tmpdir(), url === undefined ? 'template.db' : 'template.json');
  try {
    const settings = { DATABASE_URL: url ?? `sqlite:${file}`, DATABASE_POOL_SIZE: 2 };
    const dataSource = createDataSource(settings, entities);
    await dataSource.initialize();
    await migrateDatabase(dataSource, { log: () => undefined });
    await dataSource.destroy();
    if (url !== undefined) await writeFile(file, JSON.stringify(await onDatabase(url, templateOf)));
    process.env[TEMPLATE] = file;
  } finally {
    await drop();
  }
}

/** Turns an empty database into a migrated one. */
export async function applyTemplate(url: string): Promise<void> {
  if (url.startsWith('sqlite:')) {
    await copyFile(templateFile(), url.slice('sqlite:'.length));
    return;
  }
  const { tables, rows } = await readTemplate();
  await onDatabase(url, (connection) => connection.query([...tables, ...rows].join(';\n')));
}

/** Provides a migrated database, which on a server an earlier suite may have used: ids continue from there. */
export async function createMigratedDatabase(): Promise<LastingTestDatabase> {
  const server = serverOf();
  if (server === undefined) return newMigratedDatabase(server);
  const database = kept.get(server)?.pop() ?? (await newMigratedDatabase(server));
  const drop = async (): Promise<void> => {
    if (await onDatabase(database.url, empty)) kept.set(server, [...(kept.get(server) ?? []), database]);
    else await database.drop();
  };
  return { url: database.url, drop };
}

async function newMigratedDatabase(server: string | undefined): Promise<LastingTestDatabase> {
  const database = await createLastingTestDatabase(server);
  await applyTemplate(database.url);
  return database;
}

/** Resets a used database to the migrated state. Returns false, without changing anything, if it must be dropped instead. */
async function empty(connection: Connection): Promise<boolean> {
  const { rows, fingerprint } = await readTemplate();
  if (!(await isUnused(connection)) || (await fingerprintOf(connection)) !== fingerprint) return false;
  const counts = (await tableNames(connection)).map(
    (name) => `SELECT '${name}', COUNT(*) FROM (SELECT 1 FROM \`${name}\` LIMIT ${MOST_ROWS}) some`,
  );
  const [counted] = await connection.query<RowDataPacket[][]>({
    sql: counts.join(' UNION ALL '),
    rowsAsArray: true,
  });
  const filled = (counted as unknown as [string, number][]).filter(([, count]) => count > 0);
  if (filled.some(([, count]) => count >= MOST_ROWS)) return false;
  await connection.query(
    [
      'SET FOREIGN_KEY_CHECKS = 0',
      'BEGIN',
      ...filled.map(([name]) => `DELETE FROM \`${name}\``),
      ...rows,
      'COMMIT',
    ].join(';\n'),
  );
  return true;
}

/** Whether no other client is connected to the database; waits briefly for connections to close. */
async function isUnused(connection: Connection): Promise<boolean> {
  const { database: name } = connection.config;
  for (let look = 0; look < LOOKS; look++) {
    // MySQL cannot select from its process table while a statement with an emoji runs.
    const [processes] = await connection.query<RowDataPacket[]>('SHOW PROCESSLIST');
    if (processes.every(({ db, Id }) => db !== name || Id === connection.threadId)) return true;
    await setTimeout(LOOK_INTERVAL_MS);
  }
  return false;
}

/** Starts a service with its database in memory, and migrates that before it is opened. Also works outside Vitest. */
export async function startInMigratedMemory<T>(start: () => Promise<T>): Promise<T> {
  const { initialize } = DataSource.prototype;
  DataSource.prototype.initialize = async function () {
    DataSource.prototype.initialize = initialize;
    await applyTemplate(`sqlite:${String(this.options.database)}`);
    return this.initialize();
  };
  try {
    return await start();
  } finally {
    DataSource.prototype.initialize = initialize;
  }
}

function templateFile(): string {
  const file = process.env[TEMPLATE];
  if (!file) throw new Error('The template is written before the suites run.');
  return file;
}

let template: Promise<Template> | undefined;
function readTemplate(): Promise<Template> {
  return (template ??= readFile(templateFile(), 'utf8').then((text) => JSON.parse(text) as Template));
}

async function templateOf(connection: Connection): Promise<Template> {
  const tables = ['SET FOREIGN_KEY_CHECKS = 0'];
  const inserts: string[] = [];
  for (const name of await tableNames(connection)) {
    const [[created]] = await connection.query<RowDataPacket[]>('SHOW CREATE TABLE ??', [name]);
    tables.push((created?.['Create Table'] as string).replace(/ AUTO_INCREMENT=\d+/, ''));
    const [rows] = await connection.query<RowDataPacket[]>('SELECT * FROM ??', [name]);
    for (const row of rows) inserts.push(mysql.format('INSERT INTO ?? SET ?', [name, row]));
  }
  return { tables, rows: inserts, fingerprint: await fingerprintOf(connection) };
}

async function tableNames(connection: Connection): Promise<string[]> {
  const [tables] = await connection.query<RowDataPacket[][]>({ sql: 'SHOW TABLES', rowsAsArray: true });
  return (tables as unknown as [string][]).map(([name]) => name);
}

async function fingerprintOf(connection: Connection): Promise<string> {
  const of = 'WHERE table_schema = DATABASE()';
  // Selecting triggers by `trigger_schema` would open the tables of all databases. On a cluster it would also fail with a deadlock when
  // one of those tables is created or dropped meanwhile.
  const [parts] = await connection.query<RowDataPacket[]>(
    `SELECT table_name, column_name, ordinal_position, column_default, is_nullable, column_type, collation_name, extra
       FROM information_schema.columns ${of} ORDER BY 1, 3;
     SELECT table_name, index_name, seq_in_index, column_name, non_unique, sub_part
       FROM information_schema.statistics ${of} ORDER BY 1, 2, 3;
     SELECT table_name, constraint_name, constraint_type FROM information_schema.table_constraints ${of} ORDER BY 1, 2;
     SELECT trigger_name FROM information_schema.triggers WHERE event_object_schema = DATABASE()`,
  );
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

async function onDatabase<T>(url: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await mysql.createConnection({ uri: toMysql(url), multipleStatements: true });
  try {
    return await work(connection);
  } finally {
    await connection.end();
  }
}

const toMysql = (url: string): string => url.replace(/^mariadb:/, 'mysql:');
