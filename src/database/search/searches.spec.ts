import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { type DataSource } from 'typeorm';
import { Child } from '../../../test/support/child';
import { createTestDatabase } from '../../../test/support/database';
import { serverStatements } from '../../../test/support/server-statements';
import { TemporaryFolder } from '../../../test/support/sqlite';
import { InvalidRequestError } from '../../errors/domain-errors';
import { contains } from '../sql/contains';
import { createDataSource } from '../connections/data-source';
import { isUnavailable } from '../connections/database-errors';
import { keywordSearch, keywordSearchRunner } from './searches';
import { isEmbedded } from '../../../test/support/engines';

const gone = new Error('gone');
const nobodyLeaves = new AbortController().signal;

/** A search that takes forever, or longer than any test. */
const ENDLESS = isEmbedded
  ? `WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
      SELECT x FROM n WHERE CASE WHEN search_continues() THEN x < 0 END`
  : `SELECT COUNT(*) FROM ${'abcde'
      .split('')
      .map((alias) => `information_schema.COLLATIONS ${alias}`)
      .join(', ')} WHERE SHA2(CONCAT(a.id, b.id, c.id, d.id, e.id), 512) = ?`;
const ENDLESS_PARAMETERS = isEmbedded ? [] : ['x'];

describe('a keyword search', () => {
  let dataSource: DataSource;
  let stop: () => Promise<void>;

  const start = async (maxSeconds?: number): Promise<void> => {
    const { url, drop } = await createTestDatabase();
    dataSource = await createDataSource(
      { DATABASE_URL: url ?? 'sqlite::memory:', DATABASE_POOL_SIZE: 6, SEARCH_TIMEOUT: maxSeconds },
      [],
    ).initialize();
    stop = async () => {
      if (dataSource.isInitialized) await dataSource.destroy();
      await drop();
    };
  };
  afterEach(() => stop());

  const search = (sql: string, parameters: unknown[] = [], userId = 1, signal = nobodyLeaves) =>
    keywordSearchRunner(dataSource, { userId, signal }).query<unknown[]>(sql, parameters);

  it.each([[[]], [[1]]])(
    'returns the rows of its statement with the parameters %j',
    async (parameters: number[]) => {
      await start();
      const sql = `SELECT ${parameters.length ? '?' : '1'} + 1 AS two`;
      expect(await search(sql, parameters)).toEqual([{ two: 2 }]);
    },
  );

  it('sees committed rows', async () => {
    await start();
    await dataSource.query('CREATE TABLE item (n integer)');
    expect(await search('SELECT n FROM item')).toEqual([]);
    await dataSource.query('INSERT INTO item (n) VALUES (1)');
    expect(await search('SELECT n FROM item')).toEqual([{ n: 1 }]);
  });

  it('passes SQL errors on and leaves the next search unaffected', async () => {
    await start();
    await expect(search('SELECT nothing')).rejects.toThrow('nothing');
    expect(await search('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('rejects the keyword after SEARCH_TIMEOUT and leaves the next search unaffected', async () => {
    await start(0.1);
    const slow = search(ENDLESS, ENDLESS_PARAMETERS);
    await expect(slow).rejects.toBeInstanceOf(InvalidRequestError);
    await expect(slow).rejects.toMatchObject({ problems: [{ moreInfo: 'keyword' }] });
    expect(await search('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    if (!isEmbedded) expect(await dataSource.query('SELECT SLEEP(0.2) AS slept')).toEqual([{ slept: 0 }]);
  });

  it('runs its statements in one turn under one time limit', async () => {
    // Long enough for the first statements on a busy machine.
    await start(3);
    const order: string[] = [];
    const long = keywordSearch(dataSource, { userId: 1, signal: nobodyLeaves }, async (runner) => {
      await runner.query('SELECT 1');
      order.push('first');
      await runner.query('SELECT 1');
      order.push('second');
      await runner.query(ENDLESS, ENDLESS_PARAMETERS);
    });
    const next = search('SELECT 1 AS one').then(() => order.push('next'));
    await expect(long).rejects.toBeInstanceOf(InvalidRequestError);
    await next;
    expect(order).toEqual(['first', 'second', 'next']);
  });

  it('ends when its client disconnects and lets waiting searches run', async () => {
    // Not at the time limit.
    await start(600);
    const controller = new AbortController();
    const sql = `${ENDLESS} /* 🌾 */`;
    const endless = [1, 2].map((userId) => search(sql, ENDLESS_PARAMETERS, userId, controller.signal));
    const waiting = [search('SELECT 1 AS one', [], 1), search('SELECT 1 AS one', [], 3)];
    expect(await dataSource.query('SELECT 2 AS two')).toEqual([{ two: 2 }]);
    if (!isEmbedded) await untilServerRuns(2);
    controller.abort(gone);
    for (const one of endless) await expect(one).rejects.toBe(gone);
    expect(await Promise.all(waiting)).toEqual([[{ one: 1 }], [{ one: 1 }]]);
    if (!isEmbedded) await untilServerRuns(0);
  });

  const untilServerRuns = async (count: number): Promise<void> => {
    for (;;) {
      const statements = await serverStatements(dataSource);
      if (statements.filter(({ sql }) => sql.includes('SHA2(CONCAT')).length === count) return;
    }
  };

  const describeEmbedded = isEmbedded ? describe : describe.skip;

  describeEmbedded('on the embedded database', () => {
    it('provides its SQL functions only outside the main thread', async () => {
      await start();
      for (const word of ['a', 'ä', 'a'.repeat(20)]) {
        const { sql, parameter } = contains(dataSource, "'x'", word);
        await expect(dataSource.query(`SELECT ${sql}`, [parameter])).rejects.toThrow('no such function');
        await expect(
          dataSource.transaction((manager) => manager.query(`SELECT ${sql}`, [parameter])),
        ).rejects.toThrow('no such function');
        expect(await search(`SELECT 1 AS one WHERE (${sql}) IS NOT NULL`, [parameter])).toHaveLength(1);
      }
    });

    it('ends with the data source, which removes its temporary file', async () => {
      await start();
      const file = dataSource.options.database as string;
      const endless = expect(search(ENDLESS)).rejects.toThrow();
      await search('SELECT 1', [], 2);
      await stop();
      await endless;
      expect(existsSync(file)).toBe(false);
      await expect(search('SELECT 1')).rejects.toThrow('closed');
    });

    it.each([
      ['when no search is running', []],
      ['while a search is running', ['running']],
    ])('lets the process close the data source %s', async (_what, parameters) => {
      await start();
      const folder = new TemporaryFolder();
      const child = new Child('search-and-close', folder.file('test.db'), ...parameters);
      expect(await child.restOfLines()).toEqual(['closed']);
      folder.remove();
    });

    it('fails as unavailable when its thread dies, and gets another thread next', async () => {
      await start();
      const post = vi.spyOn(Worker.prototype, 'postMessage');
      const endless = search(ENDLESS);
      const [thread] = post.mock.contexts as Worker[];
      post.mockRestore();
      await thread?.terminate();
      const error = await endless.catch((reason: unknown) => reason);
      expect(isUnavailable(error)).toBe(true);
      expect(await search('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    });
  });
});
