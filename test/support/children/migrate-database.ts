import { once } from 'node:events';
import { createDataSource } from '../../../src/database/data-source';
import { entities } from '../../../src/app.entities';
import { isMigrated, migrateDatabase } from '../../../src/database/migrate';

/** Connects and migrates the moment its standard input ends; prints `ready` before, and what came of it. */
async function migrate(url: string): Promise<void> {
  const dataSource = createDataSource({ DATABASE_URL: url, DATABASE_POOL_SIZE: 2 }, entities);
  process.stdout.write('ready\n');
  await once(process.stdin.resume(), 'end');
  await dataSource.initialize();
  await migrateDatabase(dataSource);
  process.stdout.write((await isMigrated(dataSource)) ? 'migrated\n' : 'not migrated\n');
  await dataSource.destroy();
}

migrate(process.argv[2] as string).catch((error: unknown) => {
  process.stdout.write(`failed: ${String(error)}\n`);
});
