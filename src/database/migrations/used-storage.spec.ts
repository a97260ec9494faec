import { type DataSource, type QueryRunner } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { describeOnServer } from '../../../test/support/engines';
import { createDataSource } from '../connections/data-source';
import { UsedStorage1795400170000 } from './1795400170000-used-storage';

describeOnServer('the migration UsedStorage', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = createDataSource({ DATABASE_URL: database.url as string, DATABASE_POOL_SIZE: 1 }, []);
    await dataSource.initialize();
  });

  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  /** Undoes the migration up to an interruption at its last statement. */
  async function undoUntilDrop(): Promise<void> {
    const queryRunner = dataSource.createQueryRunner();
    const interrupted = {
      dataSource,
      query: (sql: string) =>
        sql.startsWith('DROP') ? Promise.reject(new Error('interrupted')) : queryRunner.query(sql),
    } as unknown as QueryRunner;
    await expect(new UsedStorage1795400170000().down(interrupted)).rejects.toThrow('interrupted');
    await queryRunner.release();
  }

  it('restores used_bytes of the space when reverted, even after an interruption', async () => {
    await dataSource.runMigrations();
    await dataSource.query(
      "INSERT INTO space (id, space_key, name, used_bytes, created) VALUES (1, 'space', 'Space', 100, 1)",
    );
    await dataSource.query('INSERT INTO used_storage (shard, bytes) VALUES (1, 30), (2, -7)');
    await undoUntilDrop();
    const undone = [];
    for (const { name } of dataSource.migrations.toReversed()) {
      await dataSource.undoLastMigration();
      undone.push(name);
      if (name?.startsWith('UsedStorage')) break;
    }
    expect(undone.at(-1)).toMatch(/^UsedStorage/);
    const [row] = await dataSource.query<[{ used: number | string }]>('SELECT used_bytes AS used FROM space');
    expect(Number(row.used)).toBe(123);
  }, 120_000);
});
