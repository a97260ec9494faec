import { setImmediate } from 'node:timers/promises';
import { type DataSource } from 'typeorm';
import { createTestDatabase } from '../../test/support/database';
import { InvalidRequestError } from '../errors/domain-errors';
import { searchesOf, ServerSearches } from './contains-search';
import { createDataSource } from './data-source';

describe(ServerSearches.name, () => {
  /** A server whose answers come when they are let. */
  class Server {
    readonly statements: string[] = [];
    private readonly answers: (() => void)[] = [];

    constructor(readonly options: { type: string; poolSize?: number }) {}

    query(sql: string): Promise<string> {
      this.statements.push(sql);
      return new Promise((resolve) => this.answers.push(() => resolve(sql)));
    }

    async answer(): Promise<void> {
      this.answers.shift()?.();
      await setImmediate();
    }

    get dataSource(): DataSource {
      return this as unknown as DataSource;
    }
  }

  it.each([
    [undefined, 3],
    [10, 3],
    [1, 1],
    [2, 1],
    [100, 33],
  ])(
    'sends to a pool of %s no more than %i at once, the others when they are answered',
    async (poolSize, atOnce) => {
      const server = new Server({ type: 'mariadb', poolSize });
      const all = Array.from({ length: atOnce + 2 }, () =>
        searchesOf(server.dataSource).query('SELECT 1', [1]),
      );
      await setImmediate();
      expect(server.statements).toHaveLength(atOnce);
      await server.answer();
      expect(server.statements).toHaveLength(atOnce + 1);
      for (let left = atOnce + 1; left > 0; left--) await server.answer();
      expect(await Promise.all(all)).toHaveLength(atOnce + 2);
    },
  );

  it.each([
    ['mysql', 'SELECT /*+ MAX_EXECUTION_TIME(20000) */ a FROM (SELECT 1 AS a) b'],
    ['mariadb', 'SET STATEMENT max_statement_time = 20 FOR SELECT a FROM (SELECT 1 AS a) b'],
  ])('limits the time in the words of %s', async (type, sql) => {
    const server = new Server({ type });
    const answer = searchesOf(server.dataSource).query('SELECT a FROM (SELECT 1 AS a) b');
    await setImmediate();
    await server.answer();
    expect(await answer).toBe(sql);
  });

  it('is not needed for the embedded database, which answers one at a time', () => {
    const { dataSource } = new Server({ type: 'better-sqlite3' });
    expect(searchesOf(dataSource)).toBe(dataSource);
  });

  const describeServer = process.env.TEST_DATABASE_URL ? describe : describe.skip;

  describeServer('on a server', () => {
    let dataSource: DataSource;
    let drop: () => Promise<void>;

    beforeAll(async () => {
      const database = await createTestDatabase();
      ({ drop } = database);
      dataSource = await createDataSource(
        { DATABASE_URL: database.url as string, DATABASE_POOL_SIZE: 1 },
        [],
      ).initialize();
    });
    afterAll(async () => {
      await dataSource.destroy();
      await drop();
    });

    it.each([[[]], [[1]]])(
      'gives what is asked for, with the parameters %j',
      async (parameters: number[]) => {
        const sql = `SELECT ${parameters.length ? '?' : '1'} + 1 AS two`;
        expect(await searchesOf(dataSource).query(sql, parameters)).toEqual([{ two: 2 }]);
      },
    );

    it('says of what takes too long that the keyword is to blame, and leaves the connection as it was', async () => {
      const searches = new ServerSearches(dataSource, 0.1);
      const many = 'information_schema.COLLATIONS';
      const slow = searches.query(
        `SELECT COUNT(*) FROM ${many} a, ${many} b, ${many} c, ${many} d WHERE SHA2(CONCAT(a.id, b.id, c.id, d.id), 512) = ?`,
        ['x'],
      );
      await expect(slow).rejects.toBeInstanceOf(InvalidRequestError);
      await expect(slow).rejects.toMatchObject({ problems: [{ moreInfo: 'keyword' }] });
      expect(await dataSource.query('SELECT SLEEP(0.2) AS slept')).toEqual([{ slept: 0 }]);
    });

    it('leaves other errors as they are', async () => {
      await expect(searchesOf(dataSource).query('SELECT nothing')).rejects.toMatchObject({
        driverError: { errno: 1054 },
      });
    });
  });
});
