import fs from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { type DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import { TemporaryFolder } from '../../../test/support/sqlite';
import { createDataSource } from '../connections/data-source';
import { ExclusiveLock } from './exclusive-lock';
import { type LogSync, LogSyncError } from './log-sync';
import { SqliteDatabase } from './node-sqlite';
import { SharedCommits } from './shared-commits';
import { isDamaged, writerUsage, writeUnsynced } from './sqlite-connections';

type Done = (error: NodeJS.ErrnoException | null) => void;

const stopClock = () => vi.spyOn(performance, 'now').mockReturnValue(performance.now());

/** More than the pages that `fillDisk` leaves. */
const LARGE = 10_000_000;

describe('the embedded database, when transactions end during a sync', () => {
  let folder: TemporaryFolder;
  let dataSource: DataSource;
  /** The syncs that have begun and not ended. */
  let syncs: Done[];
  let first: Promise<unknown>;

  beforeEach(async () => {
    folder = new TemporaryFolder();
    await open();
    await dataSource.query('CREATE TABLE item (id INTEGER PRIMARY KEY, content BLOB)');
    syncs = [];
    holdSyncs();
    first = insert(1);
    await nextTurn();
    expect(syncs).toHaveLength(1);
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    for (const done of syncs) done(null);
    if (dataSource.isInitialized) await dataSource.destroy();
    folder.remove();
  });

  /** @param timeout how long a commit waits, in seconds */
  async function open(timeout = 60): Promise<void> {
    dataSource = createDataSource(
      {
        DATABASE_URL: `sqlite:${folder.file('service.db')}`,
        DATABASE_POOL_SIZE: 1,
        DATABASE_STATEMENT_TIMEOUT: timeout,
      },
      [],
    );
    await dataSource.initialize();
  }

  /** Lets no sync end by itself, nor a shared commit after 10 ms. */
  function holdSyncs(): void {
    stopClock();
    vi.spyOn(fs, 'fdatasync').mockImplementation((_, done) => void syncs.push(done));
  }

  const insert = (id: number, runner: Pick<EntityManager, 'query'> = dataSource): Promise<unknown> =>
    runner.query('INSERT INTO item (id) VALUES (?)', [id]);

  /** Adds a row in a transaction. */
  const transaction = (id: number): Promise<unknown> =>
    dataSource.transaction((manager) => insert(id, manager));

  /** Adds a row in a transaction that stays open. */
  async function begin(id: number): Promise<QueryRunner> {
    const runner = dataSource.createQueryRunner();
    await runner.startTransaction();
    await insert(id, runner);
    return runner;
  }

  /** Resolves when no transaction runs or waits. */
  const idle = (): Promise<void> =>
    vi.waitFor(() => expect(writerUsage(dataSource)).toMatchObject({ inUse: 0, waiting: 0 }));

  /** Ends the oldest sync. */
  const endSync = async (): Promise<void> => {
    syncs.shift()?.(null);
    await nextTurn();
  };

  /** What others can read. */
  const ids = async (): Promise<number[]> =>
    (await dataSource.query<{ id: number }[]>('SELECT id FROM item ORDER BY id')).map(({ id }) => id);

  /** Lets every statement fail that needs many new pages, as on a full disk. */
  const fillDisk = (manager: EntityManager): Promise<unknown> => manager.query('PRAGMA max_page_count = 100');
  const insertLarge = (id: number, manager: EntityManager): Promise<unknown> =>
    manager.query(`INSERT INTO item (id, content) VALUES (?, zeroblob(${LARGE}))`, [id]);

  it('commits them together after that sync, and acknowledges them after the next one', async () => {
    const acknowledged: number[] = [];
    const transactions = [2, 3, 4].map(async (id) => {
      await transaction(id);
      acknowledged.push(id);
    });
    await idle();
    expect(await ids()).toEqual([1]);
    await endSync();
    await first;
    expect(await ids()).toEqual([1, 2, 3, 4]);
    expect(acknowledged).toEqual([]);
    expect(syncs).toHaveLength(1);
    await endSync();
    await Promise.all(transactions);
    expect(acknowledged).toEqual([2, 3, 4]);
    expect(syncs).toEqual([]);
  });

  it('shows each the rows of those before, and none of a failed one', async () => {
    const seen: number[] = [];
    const good: Promise<unknown>[] = [transaction(2)];
    const failed = dataSource.transaction(async (manager) => {
      await insert(3, manager);
      throw new Error('no');
    });
    good.push(
      dataSource.transaction(async (manager) => {
        const rows = await manager.query<{ id: number }[]>('SELECT id FROM item ORDER BY id');
        seen.push(...rows.map(({ id }) => id));
        await insert(4, manager);
      }),
    );
    await expect(failed).rejects.toThrow('no');
    await idle();
    expect(seen).toEqual([1, 2]);
    await endSync();
    await endSync();
    await Promise.all(good);
    expect(await ids()).toEqual([1, 2, 4]);
  });

  it('keeps and rolls back their nested transactions', async () => {
    const transactions = [2, 3].map((id) =>
      dataSource.transaction(async (outer) => {
        await insert(id, outer);
        await outer.transaction((inner) => insert(10 + id, inner));
        const failed = outer.transaction(async (inner) => {
          await insert(20 + id, inner);
          throw new Error('inner');
        });
        await expect(failed).rejects.toThrow('inner');
      }),
    );
    await idle();
    await endSync();
    await endSync();
    await Promise.all(transactions);
    expect(await ids()).toEqual([1, 2, 3, 12, 13]);
  });

  it('rolls back one whose query runner is released', async () => {
    const good = transaction(2);
    await idle();
    const abandoned = await begin(3);
    await abandoned.release();
    await endSync();
    await endSync();
    await good;
    expect(await ids()).toEqual([1, 2]);
  });

  it('commits them after a transaction that is running when the sync ends', async () => {
    const good = transaction(2);
    await idle();
    const other = await begin(3);
    await endSync();
    await first;
    expect(await ids()).toEqual([1]);
    await other.rollbackTransaction();
    expect(await ids()).toEqual([1, 2]);
    await endSync();
    await good;
    await other.release();
  });

  it('commits them before a single write', async () => {
    const shared = transaction(2);
    await idle();
    const single = insert(3);
    await idle();
    expect(await ids()).toEqual([1, 2, 3]);
    await endSync();
    await endSync();
    await Promise.all([shared, single]);
  });

  it('commits them before a migration, and each transaction of the migration at once', async () => {
    const shared = transaction(2);
    await idle();
    const runner = dataSource.createQueryRunner();
    await runner.beforeMigration();
    expect(await ids()).toEqual([1, 2]);
    await runner.startTransaction();
    await insert(3, runner);
    const committed = runner.commitTransaction();
    await nextTurn();
    expect(await ids()).toEqual([1, 2, 3]);
    await endSync();
    await endSync();
    await committed;
    vi.mocked(fs.fdatasync).mockRestore();
    await runner.afterMigration();
    expect(await runner.query('PRAGMA foreign_keys')).toEqual([{ foreign_keys: 1 }]);
    await runner.release();
    await shared;
  });

  it('commits them at once if they change the schema', async () => {
    const shared = [
      transaction(2),
      dataSource.transaction((manager) => manager.query('CREATE TABLE other (id INTEGER PRIMARY KEY)')),
    ];
    await idle();
    expect(await dataSource.query('SELECT * FROM other')).toEqual([]);
    expect(await ids()).toEqual([1, 2]);
    await endSync();
    await endSync();
    await Promise.all(shared);
  });

  /** Lets the next commits of several transactions fail. */
  function failCommits(code: string): void {
    const { exec } = SqliteDatabase.prototype;
    vi.spyOn(SqliteDatabase.prototype, 'exec').mockImplementation(function (this: SqliteDatabase, sql) {
      if (sql === 'COMMIT') throw Object.assign(new Error('no commit'), { code });
      exec.call(this, sql);
    });
  }

  it('rejects all of them, and stores none, if their commit fails', async () => {
    const results = Promise.allSettled([transaction(2), transaction(3)]);
    await idle();
    failCommits('SQLITE_IOERR');
    await endSync();
    for (const result of await results) {
      expect(result).toMatchObject({ status: 'rejected', reason: { query: 'COMMIT', code: 'SQLITE_IOERR' } });
    }
    vi.mocked(SqliteDatabase.prototype.exec).mockRestore();
    const next = transaction(4);
    await idle();
    await endSync();
    await next;
    expect(await ids()).toEqual([1, 4]);
  });

  it('reports the file as damaged if their commit finds that it is', async () => {
    vi.spyOn(Logger.prototype, 'fatal').mockReturnValue();
    const shared = expect(transaction(2)).rejects.toMatchObject({ code: 'SQLITE_CORRUPT' });
    await idle();
    failCommits('SQLITE_CORRUPT');
    await endSync();
    await shared;
    expect(isDamaged(dataSource)).toBe(true);
  });

  it('rejects all of them, and stores none, if one of them cannot be ended on its own', async () => {
    const { prepare } = SqliteDatabase.prototype;
    const refused = new Error('disk I/O error');
    vi.spyOn(SqliteDatabase.prototype, 'prepare').mockImplementation(function (this: SqliteDatabase, sql) {
      if (sql === 'RELEASE shared') throw refused;
      return prepare.call(this, sql);
    });
    const results = await Promise.allSettled([transaction(2), transaction(3)]);
    for (const result of results) {
      expect(result).toMatchObject({ status: 'rejected', reason: { driverError: refused } });
    }
    vi.mocked(SqliteDatabase.prototype.prepare).mockRestore();
    const next = transaction(4);
    await idle();
    await endSync();
    await endSync();
    await next;
    expect(await ids()).toEqual([1, 4]);
  });

  it.each(['fails', 'ignores the error'])(
    'rejects all of them, and stores none, if SQLite rolls them back and the last one %s',
    async (what) => {
      const results = Promise.allSettled([
        transaction(2),
        transaction(3),
        dataSource.transaction(async (manager) => {
          await fillDisk(manager);
          const insertion = insertLarge(4, manager);
          if (what === 'fails') await insertion;
          else {
            await expect(insertion).rejects.toMatchObject({ code: 'SQLITE_FULL' });
            await insert(4, manager);
          }
        }),
      ]);
      const [second, third, last] = await results;
      for (const result of [second, third]) {
        expect(result).toMatchObject({ status: 'rejected', reason: { code: 'SQLITE_FULL' } });
      }
      expect(last.status).toBe('rejected');
      const next = dataSource.transaction(async (manager) => {
        await manager.query('PRAGMA max_page_count = 1000000');
        await insertLarge(5, manager);
      });
      await idle();
      await endSync();
      await endSync();
      await next;
      expect(await ids()).toEqual([1, 5]);
    },
  );

  it('waits for its own sync in a later transaction of the same query runner', async () => {
    const runner = dataSource.createQueryRunner();
    const run = async (id: number): Promise<void> => {
      await runner.startTransaction();
      await insert(id, runner);
      await runner.commitTransaction();
    };
    const shared = run(2);
    await idle();
    await endSync();
    await endSync();
    await shared;
    const acknowledged = vi.fn();
    const later = run(3).then(acknowledged);
    await idle();
    await nextTurn();
    expect(syncs).toHaveLength(1);
    expect(acknowledged).not.toHaveBeenCalled();
    await endSync();
    await later;
    await runner.release();
  });

  it('stores them when the caller takes over the syncs', async () => {
    const shared = transaction(2);
    await idle();
    writeUnsynced(dataSource);
    expect(await ids()).toEqual([1, 2]);
    await transaction(3);
    await endSync();
    await endSync();
    await shared;
    expect(await ids()).toEqual([1, 2, 3]);
  });

  it('rejects all of them if the sync fails', async () => {
    vi.spyOn(Logger.prototype, 'fatal').mockReturnValue();
    const results = Promise.allSettled([transaction(2), transaction(3)]);
    await idle();
    syncs.shift()?.(new Error('EIO'));
    await expect(first).rejects.toBeInstanceOf(LogSyncError);
    for (const result of await results) {
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(LogSyncError) });
    }
  });

  it('stores them when it is closed', async () => {
    const shared = transaction(2);
    await idle();
    const closed = dataSource.destroy();
    await endSync();
    await endSync();
    await closed;
    await shared;
    vi.restoreAllMocks();
    await open();
    expect(await ids()).toEqual([1, 2]);
  });

  it('rejects them when it is closed during another transaction', async () => {
    const shared = transaction(2);
    await idle();
    await begin(3);
    const closed = dataSource.destroy();
    await expect(shared).rejects.toThrow('The embedded database is closed');
    await endSync();
    await closed;
    vi.restoreAllMocks();
    await open();
    expect(await ids()).toEqual([1]);
  });

  it.each([0, 1, 2, 3])(
    'rejects what it does not commit of one that ends %d microtasks after it begins to close',
    async (microtasks) => {
      await endSync();
      await first;
      const ending = await begin(2);
      const started = dataSource.createQueryRunner().startTransaction();
      const closed = dataSource.destroy();
      for (let number = 0; number < microtasks; number++) await Promise.resolve();
      const [committed] = await Promise.allSettled([ending.commitTransaction(), started]);
      await closed;
      await open();
      expect(await ids()).toEqual(committed.status === 'fulfilled' ? [1, 2] : [1]);
    },
  );

  it('keeps their previous pages in memory, except in a migration', async () => {
    const tempStore = (runner: Pick<EntityManager, 'query'>) => runner.query('PRAGMA temp_store');
    const shared = dataSource.transaction(async (manager) => {
      expect(await tempStore(manager)).toEqual([{ temp_store: 2 }]);
    });
    await idle();
    const runner = dataSource.createQueryRunner();
    await runner.beforeMigration();
    expect(await tempStore(runner)).toEqual([{ temp_store: 0 }]);
    await runner.release();
    const next = dataSource.transaction(async (manager) => {
      expect(await tempStore(manager)).toEqual([{ temp_store: 2 }]);
    });
    await idle();
    await endSync();
    await endSync();
    await Promise.all([shared, next]);
  });

  it('rejects them in time if the sync hangs, and shows them when it ends', async () => {
    vi.restoreAllMocks();
    await endSync();
    await first;
    await dataSource.destroy();
    await open(0.1);
    holdSyncs();
    const results = Promise.allSettled([insert(2), transaction(3), transaction(4)]);
    for (const result of await results) {
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(LogSyncError) });
    }
    expect(await ids()).toEqual([1, 2]);
    await endSync();
    expect(await ids()).toEqual([1, 2, 3, 4]);
  });
});

describe(SharedCommits.name, () => {
  let writer: SqliteDatabase;
  let lock: ExclusiveLock;
  const log = {
    isSyncing: false,
    madeAfterSync: (commit: Promise<void>) => commit,
  } as { isSyncing: boolean } & LogSync;
  const committed = vi.fn<(transactions: number) => Promise<void>>(() => Promise.resolve());
  let commits: SharedCommits;

  beforeEach(async () => {
    writer = new SqliteDatabase(':memory:');
    lock = new ExclusiveLock(1000);
    stopClock();
    committed.mockClear();
    log.isSyncing = false;
    commits = new SharedCommits(writer, lock, log, committed, () => undefined);
    await lock.acquire();
    writer.exec('BEGIN');
  });

  afterEach(() => {
    vi.restoreAllMocks();
    while (lock.isHeld) lock.release();
    writer.close();
  });

  it('shares a commit only during a sync, or while another transaction waits', () => {
    expect(commits.canAdd).toBe(false);
    log.isSyncing = true;
    expect(commits.canAdd).toBe(true);
    log.isSyncing = false;
    void lock.acquire();
    expect(commits.canAdd).toBe(true);
  });

  it('commits when nobody waits and no sync runs', () => {
    void lock.acquire();
    void commits.add();
    commits.endIfDue();
    expect(writer.isTransaction).toBe(true);
    lock.release();
    void commits.add();
    commits.endIfDue();
    expect(writer.isTransaction).toBe(false);
    expect(committed.mock.calls).toEqual([[2]]);
  });

  it('commits after 10 ms, whoever waits', () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(100);
    log.isSyncing = true;
    void lock.acquire();
    void commits.add();
    now.mockReturnValue(109);
    commits.endIfDue();
    expect(writer.isTransaction).toBe(true);
    now.mockReturnValue(110);
    commits.endIfDue();
    expect(writer.isTransaction).toBe(false);
  });

  it('commits at the end of a sync unless a transaction is unfinished', () => {
    log.isSyncing = true;
    void commits.add();
    commits.syncEnded();
    expect(writer.isTransaction).toBe(true);
    lock.release();
    commits.syncEnded();
    expect(writer.isTransaction).toBe(false);
  });
});
