import { createHash } from 'node:crypto';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import mysql, { type Connection, type RowDataPacket } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import { entities } from '../../src/app.entities';
import { createDataSource } from '../../src/database/data-source';
import { migrateDatabase } from '../../src/database/migrate';
import {
  createLastingTestDatabase,
  createTestDatabase,
  type LastingTestDatabase,
  serverOf,
} from './database';

/** Names the migrated file, or the file with the `Template` of a server, for the workers of a run. */
const TEMPLATE = 'TEST_DATABASE_TEMPLATE';

/** With more rows in a table, dropping a database is faster than emptying it. */
const MOST_ROWS = 5000;

/** How often to look whether the connections of those who have used a database are gone, and at which interval in milliseconds. */
const LOOKS = 40;
const LOOK_INTERVAL_MS = 25;

/** What a migrated database on a server is. */
interface Template {
  /** The statements that make its tables. */
  tables: string[];
  /** The statements that insert its rows. */
  rows: string[];
  /** Changes with the definition of any table, index or constraint. */
  fingerprint: string;
}

/** Migrated databases that nobody uses any more, by server: to make the tables takes a server longer than many suites do. */
const kept = new Map<string, LastingTestDatabase[]>();

/** Migrates one database and keeps what it has become: to migrate each suite's own takes many times as long. */
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

/** Makes of an empty database what a migrated one is. */
export async function applyTemplate(url: string): Promise<void> {
  if (url.startsWith('sqlite:')) {
    await copyFile(templateFile(), url.slice('sqlite:'.length));
    return;
  }
  const { tables, rows } = await readTemplate();
  await onDatabase(url, (connection) => connection.query([...tables, ...rows].join(';\n')));
}

/** A migrated database of its own, which on a server an earlier suite may have used: ids go on from where that has ended. */
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

/** Makes of a used database what a migrated one is. Gives false, and does nothing, if it has to be dropped instead. */
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

/** Whether nobody else is connected to the database, or will be gone in a moment. */
async function isUnused(connection: Connection): Promise<boolean> {
  const { database: name } = connection.config;
  for (let look = 0; look < LOOKS; look++) {
    // MySQL cannot select from its table of processes while a statement with an emoji runs.
    const [processes] = await connection.query<RowDataPacket[]>('SHOW PROCESSLIST');
    if (processes.every(({ db, Id }) => db !== name || Id === connection.threadId)) return true;
    await setTimeout(LOOK_INTERVAL_MS);
  }
  return false;
}

/** Starts something whose database is in memory, and has it find it migrated. Also works outside of Jest. */
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
  const [parts] = await connection.query<RowDataPacket[]>(
    `SELECT table_name, column_name, ordinal_position, column_default, is_nullable, column_type, collation_name, extra
       FROM information_schema.columns ${of} ORDER BY 1, 3;
     SELECT table_name, index_name, seq_in_index, column_name, non_unique, sub_part
       FROM information_schema.statistics ${of} ORDER BY 1, 2, 3;
     SELECT table_name, constraint_name, constraint_type FROM information_schema.table_constraints ${of} ORDER BY 1, 2;
     SELECT trigger_name FROM information_schema.triggers WHERE trigger_schema = DATABASE()`,
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
