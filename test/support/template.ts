import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import mysql, { type RowDataPacket } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import { entities } from '../../src/app.entities';
import { createDataSource } from '../../src/database/data-source';
import { migrateDatabase } from '../../src/database/migrate';
import { createTestDatabase } from './database';

/** Names the migrated file, or the file with the statements that make a migrated database, for the workers of a run. */
const TEMPLATE = 'TEST_DATABASE_TEMPLATE';

/** Migrates one database and keeps what it has become: to migrate each suite's own takes many times as long. */
export async function writeTemplate(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'project-management-template-'));
  const { url, drop } = await createTestDatabase();
  const file = join(folder, url === undefined ? 'template.db' : 'template.sql');
  try {
    const settings = { DATABASE_URL: url ?? `sqlite:${file}`, DATABASE_POOL_SIZE: 2 };
    const dataSource = createDataSource(settings, entities);
    await dataSource.initialize();
    await migrateDatabase(dataSource, { log: () => undefined });
    await dataSource.destroy();
    if (url !== undefined) await writeFile(file, await statementsOf(url));
    process.env[TEMPLATE] = file;
  } finally {
    await drop();
  }
}

export async function removeTemplate(): Promise<void> {
  const file = process.env[TEMPLATE];
  if (file) await rm(dirname(file), { recursive: true });
}

/** Makes of an empty database what a migrated one is. */
export async function applyTemplate(url: string): Promise<void> {
  if (url.startsWith('sqlite:')) {
    await copyFile(templateFile(), url.slice('sqlite:'.length));
    return;
  }
  const connection = await mysql.createConnection({ uri: toMysql(url), multipleStatements: true });
  try {
    await connection.query(await readFile(templateFile(), 'utf8'));
  } finally {
    await connection.end();
  }
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

/** The statements that make all tables of a database, and their rows. */
async function statementsOf(url: string): Promise<string> {
  const connection = await mysql.createConnection({ uri: toMysql(url) });
  try {
    const statements = ['SET FOREIGN_KEY_CHECKS = 0'];
    const [tables] = await connection.query<RowDataPacket[][]>({ sql: 'SHOW TABLES', rowsAsArray: true });
    for (const [name] of tables) {
      const [[created]] = await connection.query<RowDataPacket[]>('SHOW CREATE TABLE ??', [name]);
      statements.push((created?.['Create Table'] as string).replace(/ AUTO_INCREMENT=\d+/, ''));
      const [rows] = await connection.query<RowDataPacket[]>('SELECT * FROM ??', [name]);
      for (const row of rows) statements.push(mysql.format('INSERT INTO ?? SET ?', [name, row]));
    }
    return statements.join(';\n');
  } finally {
    await connection.end();
  }
}

const toMysql = (url: string): string => url.replace(/^mariadb:/, 'mysql:');
