import { type DataSource, QueryFailedError } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { createDataSource } from '../connections/data-source';
import { TransactionsService } from './transactions.service';

const failure = (driverError: object): QueryFailedError =>
  new QueryFailedError('UPDATE', [], Object.assign(new Error('driver'), driverError));

describe(TransactionsService.name, () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let transactions: TransactionsService;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = createDataSource(
      { DATABASE_URL: database.url ?? 'sqlite::memory:', DATABASE_POOL_SIZE: 4 },
      [],
    );
    await dataSource.initialize();
    await dataSource.query('CREATE TABLE item (id integer NOT NULL PRIMARY KEY, n integer NOT NULL)');
    transactions = new TransactionsService(dataSource);
  });

  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  beforeEach(async () => {
    // No pause between the attempts.
    vi.spyOn(Math, 'random').mockReturnValue(0);
    await dataSource.query('DELETE FROM item');
  });

  afterEach(() => vi.restoreAllMocks());

  const items = (): Promise<object[]> => dataSource.query('SELECT id, n FROM item ORDER BY id');

  /** Inserts the attempt's number, then throws the error in the first `times` attempts. */
  const failing = (times: number, error: Error) => {
    let [attempts, failures] = [0, 0];
    const run = transactions.run(async (manager) => {
      attempts++;
      await manager.query('INSERT INTO item (id, n) VALUES (1, ?)', [attempts]);
      if (attempts > times) return attempts;
      failures++;
      throw error;
    });
    return { run, attempts: () => attempts, failures: () => failures };
  };

  it.each([
    ['a deadlock', failure({ errno: 1213 })],
    ['a lock wait timeout', failure({ errno: 1205 })],
    ['a stale snapshot', failure({ errno: 1020 })],
    ['a busy writer', failure({ code: 'SQLITE_BUSY' })],
    ['a bare SQLITE_BUSY error', Object.assign(new Error('lock'), { code: 'SQLITE_BUSY' })],
  ])(
    'retries the whole transaction after %s, without the writes of failed attempts',
    async (_name, error) => {
      const { run } = failing(3, error);
      await expect(run).resolves.toBe(4);
      expect(await items()).toEqual([{ id: 1, n: 4 }]);
    },
  );

  it.each([
    ['a duplicate key', failure({ errno: 1062, code: 'ER_DUP_ENTRY' })],
    ['a missing parent', failure({ errno: 1452 })],
    ['a lost connection', failure({ code: 'PROTOCOL_CONNECTION_LOST', fatal: true })],
    ['an error outside the database', new Error('bug')],
  ])('rolls back without a retry after %s', async (_name, error) => {
    const { run, attempts } = failing(1, error);
    await expect(run).rejects.toBe(error);
    expect(attempts()).toBe(1);
    expect(await items()).toEqual([]);
  });

  it('retries until its time limit is over, then fails with the error', async () => {
    const error = failure({ errno: 1213 });
    const { run, attempts, failures } = failing(Infinity, error);
    const now = performance.now.bind(performance);
    // No pauses: together with slow attempts, they could exceed the time limit.
    vi.spyOn(Math, 'random').mockReturnValue(0);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + (failures() < 30 ? 0 : 3_600_000));
    await expect(run).rejects.toBe(error);
    expect(attempts()).toBe(30);
    expect(await items()).toEqual([]);
  });

  it('runs afterCommit callbacks once, after the writes are visible to others', async () => {
    let attempts = 0;
    const followUp = vi.fn();
    await transactions.run(async (manager) => {
      await manager.query('INSERT INTO item (id, n) VALUES (1, 1)');
      transactions.afterCommit(manager, () => followUp(items()));
      if (++attempts < 3) throw failure({ errno: 1213 });
      expect(followUp).not.toHaveBeenCalled();
    });
    expect(followUp).toHaveBeenCalledTimes(1);
    expect(await (followUp.mock.calls[0] as [unknown])[0]).toEqual([{ id: 1, n: 1 }]);
  });

  it('waits for the promises of afterCommit callbacks, all of which have begun', async () => {
    const order: string[] = [];
    const slow = async (): Promise<void> => {
      order.push('began');
      await items();
      order.push('ended');
    };
    await transactions.run((manager) => {
      transactions.afterCommit(manager, slow);
      transactions.afterCommit(manager, slow);
      return Promise.resolve();
    });
    expect(order).toEqual(['began', 'began', 'ended', 'ended']);
  });

  it('keeps what is committed as it is when an afterCommit callback fails like a deadlock', async () => {
    const error = failure({ errno: 1213 });
    const run = transactions.run(async (manager) => {
      await manager.query('INSERT INTO item (id, n) VALUES (1, 1)');
      transactions.afterCommit(manager, () => Promise.reject(error));
    });
    await expect(run).rejects.toBe(error);
    expect(await items()).toEqual([{ id: 1, n: 1 }]);
  });

  it('skips afterCommit callbacks when the transaction fails', async () => {
    const followUp = vi.fn();
    const run = transactions.run(async (manager) => {
      transactions.afterCommit(manager, followUp);
      await manager.query('INSERT INTO item (id, n) VALUES (1, 1), (1, 2)');
    });
    await expect(run).rejects.toThrow(QueryFailedError);
    expect(followUp).not.toHaveBeenCalled();
  });

  // Only on a server can two transactions each hold a row.
  if (process.env.TEST_DATABASE_URL) {
    it('commits both of two deadlocked transactions', async () => {
      await dataSource.query('INSERT INTO item (id, n) VALUES (1, 0), (2, 0)');
      let holding = 0;
      let release: () => void;
      const bothHold = new Promise<void>((resolve) => (release = resolve));
      let attempts = 0;
      const addTo = (first: number, second: number): Promise<void> =>
        transactions.run(async (manager) => {
          attempts++;
          await manager.query('UPDATE item SET n = n + 1 WHERE id = ?', [first]);
          if (++holding === 2) release();
          await bothHold;
          await manager.query('UPDATE item SET n = n + 1 WHERE id = ?', [second]);
        });
      await Promise.all([addTo(1, 2), addTo(2, 1)]);
      expect(attempts).toBeGreaterThan(2);
      expect(await items()).toEqual([
        { id: 1, n: 2 },
        { id: 2, n: 2 },
      ]);
    });
  }
});
