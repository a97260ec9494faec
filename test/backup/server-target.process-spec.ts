import { openServerTarget } from '../../src/backup/data/server-target';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { itOnServer } from '../support/engines';

const TAKE_OVER = 'UPDATE migration_lease SET expires = expires + 60000 WHERE id = 1';

describe('the database of a restore', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createTestDatabase();
  });

  afterEach(() => database.drop());

  const open = () => openServerTarget({ DATABASE_URL: database.url ?? '', DATABASE_POOL_SIZE: 1 });

  itOnServer('does not become usable after another process has taken it over', async () => {
    const target = await open();
    await target.dataSource.query(TAKE_OVER);
    await expect(target.commit()).rejects.toThrow('Another process has taken over the database');
    expect(target.isHeld()).toBe(false);
    const left =
      "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'unfinished_restore'";
    expect(await target.dataSource.query(left)).toHaveLength(1);
    await target.abandon();
  });

  itOnServer('keeps the tables of the process that has taken it over', async () => {
    const target = await open();
    await target.dataSource.query('CREATE TABLE other (id integer NOT NULL PRIMARY KEY)');
    await target.dataSource.query(TAKE_OVER);
    await expect(target.commit()).rejects.toThrow();
    await target.abandon();
    await expect(open()).rejects.toThrow('Another process is migrating this database or restoring into it');
  });
});
