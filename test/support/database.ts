import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DataSource } from 'typeorm';

/** A separate database for one suite. */
export interface TestDatabase {
  /** Its `DATABASE_URL`; undefined for an embedded database in memory. */
  url: string | undefined;
  drop: () => Promise<void>;
}

/** A database that outlives the service that opened it. */
export type LastingTestDatabase = TestDatabase & { url: string };

/** Starts differently in each worker, so that concurrent suites use different servers. */
let turn = Number(process.env.VITEST_POOL_ID ?? 0);

/** Returns the server of the next database: the one in `TEST_DATABASE_URL`, one of several in turn, or undefined without it. */
export function serverOf(): string | undefined {
  const serverUrls = process.env.TEST_DATABASE_URL;
  if (!serverUrls) return undefined;
  const servers = serversOf(serverUrls);
  return servers[turn++ % servers.length];
}

/** Creates an empty database on a server, or an embedded one in memory without a server. */
export async function createTestDatabase(serverUrl = serverOf()): Promise<TestDatabase> {
  if (serverUrl === undefined) return { url: undefined, drop: () => Promise.resolve() };
  const name = `${databasePrefix()}${randomBytes(6).toString('hex')}`;
  await onServer(serverUrl, `CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.toString(), drop: () => onServer(serverUrl, `DROP DATABASE IF EXISTS ${name}`) };
}

/** Creates an empty database that lasts: an embedded one is a file. */
export async function createLastingTestDatabase(serverUrl = serverOf()): Promise<LastingTestDatabase> {
  const { url, drop } = await createTestDatabase(serverUrl);
  if (url !== undefined) return { url, drop };
  const folder = await mkdtemp(join(tmpdir(), 'project-management-test-'));
  return {
    url: `sqlite:${join(folder, 'service.db')}`,
    drop: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Drops the databases that the run has left on the server, such as those that its workers kept for later suites. */
export async function dropTestDatabases(): Promise<void> {
  const serverUrl = serverOf();
  if (serverUrl === undefined) return;
  const left = await onServer<{ name: string }[]>(
    serverUrl,
    `SELECT schema_name AS name FROM information_schema.schemata WHERE LEFT(schema_name, ${databasePrefix().length}) = '${databasePrefix()}'`,
  );
  for (const { name } of left) await onServer(serverUrl, `DROP DATABASE ${name}`);
}

/** Returns the prefix of the names of this run's databases, from its temporary folder, which no other run has. */
const databasePrefix = (): string => `pms_test_${basename(tmpdir()).replace(/\W/g, '').slice(-6)}_`;

/** @param urls of one server, or of the nodes of a cluster: `mariadb://root@first:3306,second:3306/mysql` */
function serversOf(urls: string): string[] {
  const parts = /^(\w+:\/\/(?:[^@/]*@)?)([^/]+)(.*)$/.exec(urls);
  if (!parts) throw new Error('TEST_DATABASE_URL must be the URL of a server.');
  const [, before, hosts, after] = parts as unknown as [string, string, string, string];
  return hosts.split(',').map((host) => before + host + after);
}

/** Returns a database's URL on each of the servers in `TEST_DATABASE_URL`. */
export const onEachServer = (databaseUrl: string): string[] =>
  serversOf(process.env.TEST_DATABASE_URL ?? '').map((server) => {
    const url = new URL(server);
    url.pathname = new URL(databaseUrl).pathname;
    return url.toString();
  });

async function onServer<Rows>(serverUrl: string, statement: string): Promise<Rows> {
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
    return await server.query<Rows>(statement);
  } finally {
    await server.destroy();
  }
}
