import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';

/** A database of its own for one suite. */
export interface TestDatabase {
  /** `DATABASE_URL` of it; undefined for the embedded one in memory. */
  url: string | undefined;
  drop: () => Promise<void>;
}

/** A database that outlives the service that opened it. */
export type LastingTestDatabase = TestDatabase & { url: string };

/** Makes an empty database: on the server that `TEST_DATABASE_URL` names, or embedded without it. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = process.env.TEST_DATABASE_URL;
  if (!serverUrl) return { url: undefined, drop: () => Promise.resolve() };
  const name = `pms_test_${randomBytes(6).toString('hex')}`;
  await onServer(serverUrl, `CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.toString(), drop: () => onServer(serverUrl, `DROP DATABASE IF EXISTS ${name}`) };
}

/** The same, but a lasting one. */
export async function createLastingTestDatabase(): Promise<LastingTestDatabase> {
  const { url, drop } = await createTestDatabase();
  if (url !== undefined) return { url, drop };
  const folder = await mkdtemp(join(tmpdir(), 'project-management-test-'));
  return {
    url: `sqlite:${join(folder, 'service.db')}`,
    drop: () => rm(folder, { recursive: true, force: true }),
  };
}

async function onServer(serverUrl: string, statement: string): Promise<void> {
  const url = new URL(serverUrl);
  const server = new DataSource({
    type: url.protocol === 'mariadb:' ? 'mariadb' : 'mysql',
    host: url.hostname,
    port: Number(url.port || 3306),
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  });
  await server.initialize();
  try {
    await server.query(statement);
  } finally {
    await server.destroy();
  }
}
