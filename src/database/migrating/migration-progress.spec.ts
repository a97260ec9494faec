import { type DataSource, type QueryRunner } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { describeOnServer } from '../../../test/support/engines';
import { createDataSource } from '../connections/data-source';
import { begunMigration, MigrationProgress, runStatements } from './migration-progress';

const WAITS =
  'SELECT @@SESSION.lock_wait_timeout AS tableWait, @@SESSION.innodb_lock_wait_timeout AS rowWait';

describeOnServer(runStatements.name, () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let queryRunner: QueryRunner;

  beforeEach(async () => {
    database = await createTestDatabase();
    dataSource = createDataSource({ DATABASE_URL: database.url as string, DATABASE_POOL_SIZE: 2 }, []);
    await dataSource.initialize();
    await dataSource.query('CREATE TABLE counted (number integer NOT NULL)');
    await dataSource.query('INSERT INTO counted (number) VALUES (1)');
    const progress = new MigrationProgress(dataSource);
    await progress.prepare();
    await progress.takeOver(() => true, { log: () => undefined, reportMs: 0 });
    queryRunner = dataSource.createQueryRunner();
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await queryRunner.release();
    await dataSource.destroy();
    await database.drop();
  });

  it.each(['COMMIT', 'UPDATE migration_progress'])(
    'changes rows once when a conflict ends its transaction at %s',
    async (start) => {
      const query = queryRunner.query.bind(queryRunner);
      let conflicts = 0;
      vi.spyOn(queryRunner, 'query').mockImplementation(async (sql: string, ...rest: unknown[]) => {
        // The second statement about the progress is the one in the transaction.
        if (sql.startsWith(start) && ++conflicts === (start === 'COMMIT' ? 1 : 2)) {
          await query('ROLLBACK');
          throw Object.assign(new Error('Deadlock'), { errno: 1213 });
        }
        return (await query(sql, ...(rest as []))) as unknown;
      });
      await runStatements(queryRunner, 'Counted1', ['UPDATE counted SET number = number + 1']);
      await query('COMMIT');
      expect(await dataSource.query('SELECT number FROM counted')).toEqual([{ number: 2 }]);
    },
  );

  it('records no begun migration when its first change of rows fails', async () => {
    const failing = runStatements(queryRunner, 'Counted1', ['UPDATE counted SET missing = 1']);
    await expect(failing).rejects.toThrow('missing');
    expect(await begunMigration(dataSource)).toBeUndefined();
  });

  it.each(['UPDATE counted SET number = 3', 'UPDATE counted SET missing = 1'])(
    'restores the lock wait timeouts of the session after %s',
    async (statement) => {
      await queryRunner.query('SET SESSION lock_wait_timeout = 77, innodb_lock_wait_timeout = 78');
      await runStatements(queryRunner, 'Counted1', [statement]).catch(() => undefined);
      expect(await queryRunner.query(WAITS)).toEqual([{ tableWait: 77, rowWait: 78 }]);
    },
  );
});
