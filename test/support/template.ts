import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import mysql, { type RowDataPacket } from 'mysql2/promise';
import { entities } from '../../src/app.entities';
import { createDataSource } from '../../src/database/data-source';
import { migrateDatabase } from '../../src/database/migrate';
import { createTestDatabase } from './database';

/** Names the file with the statements that make a migrated database, for the workers of a run. */
const TEMPLATE = 'TEST_DATABASE_TEMPLATE';

/** Migrates one database of the server and keeps what it has become: to migrate each suite's own takes many times as long. */
export async function writeTemplate(): Promise<void> {
  const { url, drop } = await createTestDatabase();
  if (url === undefined) return;
  try {
    const dataSource = createDataSource({ DATABASE_URL: url, DATABASE_POOL_SIZE: 2 }, entities);
    await dataSource.initialize();
    await migrateDatabase(dataSource, { log: () => undefined });
    await dataSource.destroy();
    const file = join(await mkdtemp(join(tmpdir(), 'project-management-template-')), 'template.sql');
    await writeFile(file, await statementsOf(url));
    process.env[TEMPLATE] = file;
  } finally {
    await drop();
  }
}

export async function removeTemplate(): Promise<void> {
  const file = process.env[TEMPLATE];
  if (file) await rm(dirname(file), { recursive: true });
}

/** Makes of an empty database of the server what a migrated one is. An embedded one is migrated as fast by itself. */
export async function applyTemplate(url = 'sqlite:'): Promise<void> {
  if (url.startsWith('sqlite:')) return;
  const file = process.env[TEMPLATE];
  if (!file) throw new Error('The template is written before the suites run.');
  const connection = await mysql.createConnection({ uri: toMysql(url), multipleStatements: true });
  try {
    await connection.query(await readFile(file, 'utf8'));
  } finally {
    await connection.end();
  }
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
