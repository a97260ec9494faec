import { openServerTarget } from '../../src/backup/data/server-target';
import { createDataSource } from '../../src/database/connections/data-source';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { itOnServer } from '../support/engines';

describe('the database of a restore', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createTestDatabase();
  });

  afterEach(() => database.drop());

  itOnServer('stays as it is when another process has taken it over', async () => {
    const settings = { DATABASE_URL: database.url ?? '', DATABASE_POOL_SIZE: 1 };
    const target = await openServerTarget(settings);
    const other = await createDataSource(settings, []).initialize();
    await other.query('CREATE TABLE restored_by_other (id integer NOT NULL PRIMARY KEY)');
    await other.query('UPDATE migration_lease SET expires = expires + 60000 WHERE id = 1');
    await expect(target.commit()).rejects.toThrow('Another process has taken over the database');
    expect(target.isHeld()).toBe(false);
    // Even if the other process has ended by now.
    await other.query('UPDATE migration_lease SET expires = 0 WHERE id = 1');
    await expect(target.commit()).rejects.toThrow('Another process has taken over the database');
    await target.abandon();
    const tables = await other.query<{ name: string }[]>(
      'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY 1',
    );
    expect(tables.map(({ name }) => name)).toEqual([
      'migration_lease',
      'restored_by_other',
      'unfinished_restore',
    ]);
    await other.destroy();
  });
});
