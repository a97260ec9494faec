import { DataSource } from 'typeorm';
import { entities } from '../src/app.entities';
import { createDataSource } from '../src/database/connections/data-source';
import { migrateDatabase } from '../src/database/migrating/migrate';

/** The statements that would bring a migrated database to where the entities are; none when nothing has drifted. */
export interface SchemaDifference {
  up: string[];
  down: string[];
}

/** Migrates the empty database at `url` and compares it with the entities. */
export async function schemaDifference(url: string): Promise<SchemaDifference> {
  const dataSource = createDataSource({ DATABASE_URL: url, DATABASE_POOL_SIZE: 1 }, entities);
  await dataSource.initialize();
  try {
    await migrateDatabase(dataSource);
    const difference = await dataSource.driver.createSchemaBuilder().log();
    return {
      up: difference.upQueries.map((query) => query.query),
      down: difference.downQueries.map((query) => query.query).reverse(),
    };
  } finally {
    await dataSource.destroy();
  }
}

/** Runs `work` with the address of a new, empty database on the server that `serverUrl` names, and drops it after. */
export async function withScratchDatabase<T>(
  serverUrl: string,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const url = new URL(serverUrl);
  const name = `pms_scratch_${process.pid}_${Date.now()}`;
  const server = new DataSource({
    type: url.protocol === 'mariadb:' ? 'mariadb' : 'mysql',
    host: url.hostname,
    port: Number(url.port || 3306),
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  });
  await server.initialize();
  try {
    await server.query(`CREATE DATABASE ${name}`);
    url.pathname = `/${name}`;
    return await work(url.toString());
  } finally {
    await server.query(`DROP DATABASE IF EXISTS ${name}`);
    await server.destroy();
  }
}
