import { type DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { createDataSource } from '../connections/data-source';
import { migrations } from '.';

describe('the complete set of migrations', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = createDataSource(
      { DATABASE_URL: database.url ?? 'sqlite::memory:', DATABASE_POOL_SIZE: 1 },
      [],
    );
    await dataSource.initialize();
  });

  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  const tables = async (): Promise<string[]> => {
    const rows = await dataSource.query<{ name: string }[]>(
      database.url
        ? 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()'
        : "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    );
    return rows.map(({ name }) => name).toSorted();
  };

  it('reverts and reruns on a server, and refuses to revert on the embedded database', async () => {
    await dataSource.runMigrations();
    const made = await tables();
    expect(made).toEqual(expect.arrayContaining(['comment', 'issue', 'project', 'user', 'wiki']));
    if (!database.url) {
      await expect(dataSource.undoLastMigration()).rejects.toThrow('does not go back');
      expect(await tables()).toEqual(made);
      return;
    }
    for (let left = migrations.length; left > 0; left--) await dataSource.undoLastMigration();
    expect(await tables()).toEqual(['migrations']);
    await dataSource.runMigrations();
    expect(await tables()).toEqual(made);
    // Schema changes are slow on a server, and slower on a cluster.
  }, 120_000);
});
