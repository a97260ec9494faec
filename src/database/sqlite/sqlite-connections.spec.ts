import { setImmediate as nextTurn } from 'node:timers/promises';
import { type DataSource, type EntityManager } from 'typeorm';
import { openSqlite, TemporaryFolder } from '../../../test/support/sqlite';
import { SqliteDatabase } from './node-sqlite';

const insert = (runner: Pick<EntityManager, 'query'>, owner: number): Promise<unknown> =>
  runner.query('INSERT INTO item (owner) VALUES (?)', [owner]);

describe('the data source of the embedded database', () => {
  let folder: TemporaryFolder;
  let dataSource: DataSource;

  beforeEach(async () => {
    folder = new TemporaryFolder();
    dataSource = await openSqlite(folder.file('test.db'));
    await dataSource.query(
      'CREATE TABLE item (id INTEGER PRIMARY KEY AUTOINCREMENT, owner INTEGER NOT NULL)',
    );
  });

  afterEach(async () => {
    if (dataSource.isInitialized) await dataSource.destroy();
    folder.remove();
  });

  const owners = async (runner: Pick<EntityManager, 'query'> = dataSource): Promise<number[]> => {
    const rows = await runner.query<{ owner: number }[]>('SELECT owner FROM item ORDER BY owner');
    return rows.map((row) => row.owner);
  };

  it('commits 50 concurrent transactions that see no uncommitted rows of each other', async () => {
    const counts = await Promise.all(
      Array.from({ length: 50 }, (_, owner) =>
        dataSource.transaction(async (manager) => {
          const before = (await owners(manager)).length;
          await insert(manager, owner);
          await insert(manager, owner);
          return { before, after: (await owners(manager)).length };
        }),
      ),
    );
    expect(counts).toEqual(
      Array.from({ length: 50 }, (_, position) => ({ before: 2 * position, after: 2 * position + 2 })),
    );
    expect(await owners()).toHaveLength(100);
  });

  it('rolls back only the failed ones of 50 concurrent transactions', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, owner) =>
        dataSource.transaction(async (manager) => {
          await insert(manager, owner);
          if (owner % 3 === 0) throw new Error(`no ${owner}`);
          await insert(manager, owner);
        }),
      ),
    );
    const failed = outcomes.flatMap(({ status }, owner) => (status === 'rejected' ? [owner] : []));
    const kept = Array.from({ length: 50 }, (_, owner) => owner).filter((owner) => owner % 3 !== 0);
    expect(failed).toEqual(Array.from({ length: 17 }, (_, index) => index * 3));
    expect(await owners()).toEqual(kept.flatMap((owner) => [owner, owner]));
  });

  it('keeps the writes of a successful nested transaction', async () => {
    await dataSource.transaction(async (outer) => {
      await insert(outer, 1);
      await outer.transaction((inner) => insert(inner, 2));
    });
    expect(await owners()).toEqual([1, 2]);
  });

  it('rolls back a failed nested transaction and continues the outer one', async () => {
    await dataSource.transaction(async (outer) => {
      await insert(outer, 1);
      const nested = outer.transaction(async (inner) => {
        await insert(inner, 2);
        throw new Error('inner');
      });
      await expect(nested).rejects.toThrow('inner');
      await insert(outer, 3);
    });
    expect(await owners()).toEqual([1, 3]);
  });

  it('reads the last committed state while a write transaction is open', async () => {
    await insert(dataSource, 1);
    const writer = dataSource.createQueryRunner();
    await writer.startTransaction();
    await writer.query('INSERT INTO item (owner) VALUES (2)');
    expect(await owners()).toEqual([1]);
    await writer.commitTransaction();
    expect(await owners()).toEqual([1, 2]);
    await writer.release();
  });

  it('queues single writes behind an open transaction and applies them in order', async () => {
    const writer = dataSource.createQueryRunner();
    await writer.startTransaction();
    await writer.query('INSERT INTO item (owner) VALUES (1)');
    const lone = [2, 3, 4].map((owner) => insert(dataSource, owner));
    await writer.rollbackTransaction();
    await writer.release();
    expect(await Promise.all(lone)).toEqual([1, 2, 3]);
    expect(await owners()).toEqual([2, 3, 4]);
  });

  it('releases the writer when a single write fails', async () => {
    await expect(dataSource.query('INSERT INTO item (owner) VALUES (NULL)')).rejects.toMatchObject({
      code: 'SQLITE_CONSTRAINT_NOTNULL',
    });
    await insert(dataSource, 1);
    expect(await owners()).toEqual([1]);
  });

  it.each([1, 2])('rolls back on release of a query runner at transaction depth %d', async (levels) => {
    const abandoned = dataSource.createQueryRunner();
    for (let level = 0; level < levels; level++) {
      await abandoned.startTransaction();
      await abandoned.query('INSERT INTO item (owner) VALUES (1)');
    }
    await abandoned.release();
    await dataSource.transaction((manager) => insert(manager, 2));
    expect(await owners()).toEqual([2]);
    await expect(abandoned.query('SELECT 1')).rejects.toThrow('released');
  });

  it('reports the first error when SQLite itself has ended the transaction', async () => {
    const failed = dataSource.transaction(async (manager) => {
      await insert(manager, 1);
      await manager.query('ROLLBACK');
      throw new Error('first');
    });
    await expect(failed).rejects.toThrow('first');
    await insert(dataSource, 2);
    expect(await owners()).toEqual([2]);
  });

  it('stores nothing of work that ignores that SQLite has ended its transaction', async () => {
    const ignoring = dataSource.transaction(async (manager) => {
      await insert(manager, 1);
      await manager.query('PRAGMA max_page_count = 10');
      const large = manager.query("INSERT INTO item (owner) VALUES (printf('%.*c', 100000, 'x'))");
      await expect(large).rejects.toMatchObject({ code: 'SQLITE_FULL' });
      await insert(manager, 2);
    });
    await expect(ignoring).rejects.toThrow('SQLite has rolled back the transaction.');
    await insert(dataSource, 3);
    expect(await owners()).toEqual([3]);
  });

  it('returns current columns from prepared statements after a schema change', async () => {
    const rows = () => dataSource.query<object[]>('SELECT * FROM item');
    await insert(dataSource, 1);
    expect(await rows()).toEqual([{ id: 1, owner: 1 }]);
    await dataSource.query("ALTER TABLE item ADD COLUMN note TEXT DEFAULT 'x'");
    expect(await rows()).toEqual([{ id: 1, owner: 1, note: 'x' }]);
    const undone = dataSource.transaction(async (manager) => {
      await manager.query('ALTER TABLE item DROP COLUMN note');
      expect(await manager.query('SELECT * FROM item')).toEqual([{ id: 1, owner: 1 }]);
      expect(await rows()).toEqual([{ id: 1, owner: 1, note: 'x' }]);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await rows()).toEqual([{ id: 1, owner: 1, note: 'x' }]);
    await insert(dataSource, 2);
    expect(await owners()).toEqual([1, 2]);
  });

  describe('in an uninterrupted series of statements', () => {
    afterEach(() => vi.restoreAllMocks());

    it.each<[string, (manager: EntityManager) => Promise<unknown>]>([
      ['reads', () => owners()],
      ['writes', () => insert(dataSource, 1)],
      ['transactions', () => dataSource.transaction((manager) => insert(manager, 1))],
      ['statements of one transaction', (manager) => insert(manager, 1)],
    ])('yields to the event loop during slow %s', async (what, send) => {
      // Ends the turn that began with the real clock.
      await nextTurn();
      await nextTurn();
      let now = 0;
      vi.spyOn(performance, 'now').mockImplementation(() => (now += 5));
      let turns = 0;
      const count = (): void => {
        turns++;
      };
      const series = async (manager: EntityManager): Promise<void> => {
        for (let number = 0; number < 20; number++) {
          setImmediate(count);
          await send(manager);
        }
      };
      if (what.endsWith('one transaction')) await dataSource.transaction(series);
      else await series(dataSource.manager);
      // Nearly all of these callbacks have run before the last statement.
      expect(turns).toBeGreaterThan(15);
    });
  });

  it('returns correct rows when more distinct statements run than stay prepared', async () => {
    for (let number = 0; number < 1200; number++) {
      expect(await dataSource.query(`SELECT ${number} AS number`)).toEqual([{ number }]);
    }
    await dataSource.transaction(async (manager) => {
      for (let number = 0; number < 600; number++) {
        await manager.query(`INSERT INTO item (owner) VALUES (${number})`);
      }
    });
    expect(await owners()).toHaveLength(600);
  });

  it('refuses reads and writes after destroy, and works again after initialize', async () => {
    await insert(dataSource, 1);
    await dataSource.destroy();
    await expect(owners()).rejects.toThrow();
    await expect(insert(dataSource, 2)).rejects.toThrow();
    await dataSource.initialize();
    expect(await owners()).toEqual([1]);
  });

  it('keeps up to 16 MiB of the file in memory, for reads and for writes', async () => {
    const cacheSize = [{ cache_size: -16_384 }];
    expect(await dataSource.query('PRAGMA cache_size')).toEqual(cacheSize);
    expect(await dataSource.transaction((manager) => manager.query('PRAGMA cache_size'))).toEqual(cacheSize);
  });

  describe('with a busy writer', () => {
    it('fails the next write with SQLITE_BUSY after the timeout, then recovers', async () => {
      const impatient = await openSqlite(folder.file('test.db'), { busyTimeout: 50 });
      const stuck = impatient.createQueryRunner();
      await stuck.startTransaction();
      await expect(impatient.transaction((manager) => insert(manager, 1))).rejects.toMatchObject({
        code: 'SQLITE_BUSY',
      });
      await expect(insert(impatient, 2)).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
      expect(await owners(impatient)).toEqual([]);
      await stuck.release();
      await insert(impatient, 3);
      expect(await owners(impatient)).toEqual([3]);
      await impatient.destroy();
    });

    it('fails a transaction with SQLITE_BUSY while the file is locked, then recovers', async () => {
      const impatient = await openSqlite(folder.file('test.db'), { busyTimeout: 50 });
      const other = new SqliteDatabase(folder.file('test.db'));
      other.exec('BEGIN IMMEDIATE');
      await expect(impatient.transaction((manager) => insert(manager, 1))).rejects.toMatchObject({
        code: 'SQLITE_BUSY',
      });
      other.exec('ROLLBACK');
      other.close();
      await impatient.transaction((manager) => insert(manager, 2));
      expect(await owners(impatient)).toEqual([2]);
      await impatient.destroy();
    });
  });
});
