import { setTimeout as sleep } from 'node:timers/promises';
import { type DataSource, type QueryRunner } from 'typeorm';
import { isMigrated, migrateDatabase, pendingMigrations } from '../../src/database/migrating/migrate';
import { migrations } from '../../src/database/migrations';
import { limitStatements } from '../../src/database/connections/statement-limit';
import { TransactionsService } from '../../src/database/transactions/transactions.service';
import { createLastingTestDatabase, type LastingTestDatabase } from '../support/database';
import { describeOnServer } from '../support/engines';
import {
  CompatibleVersion1999000000001,
  NextVersion1999000000000,
  openAs,
  PREVIOUS_RELEASE,
} from '../support/next-version';
import { applyTemplate } from '../support/template';

/** Transactions in the way of a change of the schema are aborted by a cluster, instead of being waited for. */
const itOnOneServer = it.skipIf(process.env.TEST_DATABASE_URL?.includes(','));
const USER =
  "INSERT INTO `user` (id, user_id, name, role_type, lang, mail_address, last_login_time, created, vendor_id, vendor_name, vendor_unique_id) VALUES (7, 'u', 'U', 1, 'en', 'u@example.com', 1, 1, 1, 'v', 'v1')";
const STOP = 'Processes of older versions stop now, before the migration NextVersion1999000000000';
/** Leaves the migration as if the process had died at its first statement. */
const BEGUN =
  "UPDATE migration_progress SET migration = 'NextVersion1999000000000', statement = 0, in_doubt = 1 WHERE id = 1";
const PROJECT = "INSERT INTO project (id, project_key, name, created) VALUES (3, 'P', 'Project', 1)";

describeOnServer('a migration on a server', () => {
  let database: LastingTestDatabase;
  let opened: DataSource[];
  let lines: string[];

  beforeEach(async () => {
    database = await createLastingTestDatabase();
    opened = [];
    lines = [];
  });

  afterEach(async () => {
    for (const dataSource of opened) await dataSource.destroy();
    await database.drop();
  });

  const open = async (version: Parameters<typeof openAs>[1]): Promise<DataSource> => {
    const dataSource = await openAs(database.url, version);
    opened.push(dataSource);
    return dataSource;
  };

  const migrate = (dataSource: DataSource): Promise<string[]> =>
    migrateDatabase(dataSource, { log: (line) => lines.push(line), reportMs: 0 });

  const begin = async (dataSource: DataSource): Promise<QueryRunner> => {
    const queryRunner = dataSource.createQueryRunner();
    await queryRunner.startTransaction();
    return queryRunner;
  };

  const untilWaiting = async (dataSource: DataSource): Promise<void> => {
    const isWaiting = async (): Promise<boolean> => {
      const processes = await dataSource.query<{ db: string; State: string }[]>('SHOW PROCESSLIST');
      const { database: own } = dataSource.driver;
      return processes.some(({ db, State }) => db === own && /metadata lock/i.test(State));
    };
    while (!(await isWaiting())) await sleep(5);
  };

  itOnOneServer('yields to transactions in a circular wait and logs the table it waits for', async () => {
    await applyTemplate(database.url);
    const older = await open(migrations);
    await older.query(PROJECT);
    const [one, other] = [await begin(older), await begin(older)];
    await one.query('SELECT id FROM user');
    await other.query("UPDATE project SET name = 'Other' WHERE id = 3");
    const waiting = one.query("UPDATE project SET name = 'One' WHERE id = 3");

    const watcher = await open(migrations);
    const newer = await open([...migrations, CompatibleVersion1999000000001]);
    const migrating = migrate(newer);
    await untilWaiting(watcher);
    // Waits behind the migration, which waits for the first transaction, which waits for this one.
    await other.query('SELECT id FROM user');
    await other.commitTransaction();
    await waiting;
    while (lines.length === 0) await sleep(5);
    await one.commitTransaction();
    await other.release();
    await one.release();
    expect(await migrating).toEqual(['CompatibleVersion1999000000001']);
    expect(lines[0]).toMatch(
      /^Waiting for the transactions that use the table user \(CompatibleVersion1999000000001, statement 1\); the oldest transaction, of connection \d+, has run for \d+ s$/,
    );
  });

  itOnOneServer('waits for a transaction that has changed the same rows', async () => {
    await applyTemplate(database.url);
    const older = await open(migrations);
    await older.query(USER);
    const newer = await open([...migrations, CompatibleVersion1999000000001]);
    const run = newer.createQueryRunner.bind(newer);
    let holder: QueryRunner | undefined;
    // The transaction begins between the statement that changes the table and the one that changes its rows.
    vi.spyOn(newer, 'createQueryRunner').mockImplementation((...parameters) => {
      const queryRunner = run(...parameters);
      const query = queryRunner.query.bind(queryRunner) as (...all: unknown[]) => Promise<unknown>;
      queryRunner.query = (async (sql: string, ...rest: unknown[]) => {
        if (sql.startsWith('UPDATE `user`') && !holder) {
          holder = await begin(older);
          await holder.query("UPDATE user SET name = 'Mine' WHERE id = 7");
        }
        return query(sql, ...rest);
      }) as typeof queryRunner.query;
      return queryRunner;
    });
    const migrating = migrate(newer);
    while (lines.length === 0) await sleep(5);
    expect(lines[0]).toMatch(/^Waiting for the transactions that use the table user \(.*, statement 2\)/);
    await holder?.commitTransaction();
    await holder?.release();
    await migrating;
    expect(await older.query('SELECT name, next_version AS next FROM user')).toEqual([
      { name: 'Mine', next: 1 },
    ]);
  });

  it('runs beside transactions of a process of the previous release', async () => {
    const older = await open(PREVIOUS_RELEASE);
    await migrate(older);
    await older.query(USER);
    await older.query(PROJECT);
    limitStatements(older, 10);
    const transactions = new TransactionsService(older);
    let isMigrating = true;
    let count = 0;
    const work = async (): Promise<void> => {
      while (isMigrating) {
        await transactions.run(async (manager) => {
          await manager.query('SELECT id FROM user WHERE id = 7');
          await manager.query('UPDATE project SET name = ? WHERE id = 3', [`Project ${count}`]);
          await manager.query('SELECT id, content FROM wiki');
        });
        count++;
      }
    };
    const working = Promise.all([work(), work()]);
    const newer = await open(migrations);
    await migrate(newer);
    isMigrating = false;
    await working;
    expect(count).toBeGreaterThan(0);
    expect(await isMigrated(newer)).toBe(true);
  }, 120_000);

  describe('when older versions cannot run beside it', () => {
    beforeEach(() => applyTemplate(database.url));

    it('announces itself before it runs and keeps older versions from starting', async () => {
      const newer = await open([...migrations, NextVersion1999000000000]);
      const older = await open(migrations);
      expect(await pendingMigrations(older)).toEqual([]);
      const run = newer.runMigrations.bind(newer);
      vi.spyOn(newer, 'runMigrations').mockImplementationOnce(async () => {
        await expect(pendingMigrations(older)).rejects.toThrow(/newer version.*NextVersion1999000000000/);
        return run();
      });
      await migrate(newer);
      expect(lines).toEqual([STOP]);
      await expect(pendingMigrations(older)).rejects.toThrow(/newer version.*NextVersion1999000000000/);
      expect(await pendingMigrations(newer)).toEqual([]);
    });

    it('admits older versions after a kill before its first statement, then announces itself again', async () => {
      const newer = await open([...migrations, NextVersion1999000000000]);
      const older = await open(migrations);
      vi.spyOn(newer, 'runMigrations').mockResolvedValueOnce([]);
      await migrate(newer);
      expect(await pendingMigrations(older)).toEqual([]);
      await migrate(newer);
      expect(lines).toEqual([STOP, STOP]);
      await expect(pendingMigrations(older)).rejects.toThrow(/newer version.*NextVersion1999000000000/);
    });

    it('announces itself again after a conflict before its first statement', async () => {
      const newer = await open([...migrations, NextVersion1999000000000]);
      vi.spyOn(newer, 'runMigrations').mockRejectedValueOnce(
        Object.assign(new Error('Deadlock'), { errno: 1213 }),
      );
      await migrate(newer);
      expect(lines.filter((line) => line === STOP)).toHaveLength(2);
    });

    it('announces itself only once when a process dies after its first statement', async () => {
      const newer = await open([...migrations, NextVersion1999000000000]);
      const older = await open(migrations);
      vi.spyOn(newer, 'runMigrations').mockImplementationOnce(async () => {
        await newer.query(BEGUN);
        return [];
      });
      await migrate(newer);
      await expect(pendingMigrations(older)).rejects.toThrow(/newer version.*NextVersion1999000000000/);
      await migrate(newer);
      expect(lines.filter((line) => line === STOP)).toHaveLength(1);
    });

    it('lets older versions start again when it fails before its first statement', async () => {
      const newer = await open([...migrations, NextVersion1999000000000]);
      const older = await open(migrations);
      const run = vi.spyOn(newer, 'runMigrations').mockRejectedValueOnce(new Error('failed'));
      await expect(migrate(newer)).rejects.toThrow('failed');
      run.mockRestore();
      expect(await pendingMigrations(older)).toEqual([]);
    });

    it('keeps older versions from starting when it fails after its first statement', async () => {
      const newer = await open([...migrations, NextVersion1999000000000]);
      const older = await open(migrations);
      const run = vi.spyOn(newer, 'runMigrations').mockImplementationOnce(async () => {
        await newer.query(BEGUN);
        throw new Error('failed');
      });
      await expect(migrate(newer)).rejects.toThrow('failed');
      run.mockRestore();
      await expect(pendingMigrations(older)).rejects.toThrow(/newer version.*NextVersion1999000000000/);
    });

    it('lets older versions start again when it has been reverted', async () => {
      const newer = await open([...migrations, NextVersion1999000000000]);
      const older = await open(migrations);
      await migrate(newer);
      await newer.undoLastMigration();
      expect(await pendingMigrations(older)).toEqual([]);
    });
  });

  it('runs without an announcement when older versions can run beside it', async () => {
    await applyTemplate(database.url);
    const newer = await open([...migrations, CompatibleVersion1999000000001]);
    await migrate(newer);
    expect(lines.filter((line) => line.includes('stop'))).toEqual([]);
  });
});
