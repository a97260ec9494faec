import { type PoolConnection } from 'mysql2';
import { type DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { createDataSource } from '../connections/data-source';
import { type StatementRunner } from '../sql/statements';
import { ConnectionStatements } from './connection-statements';

const onServer = process.env.TEST_DATABASE_URL ? describe : describe.skip;

onServer(ConnectionStatements.name, () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = createDataSource({ DATABASE_URL: database.url as string, DATABASE_POOL_SIZE: 1 }, []);
    await dataSource.initialize();
    await dataSource.query(
      'CREATE TABLE item (id integer NOT NULL PRIMARY KEY, n bigint NOT NULL, name text)',
    );
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    await dataSource.query('DELETE FROM item');
    await dataSource.query(
      "INSERT INTO item VALUES (1, 9007199254740991, 'it''s \\\\ \"one\"'), (2, -5, NULL)",
    );
  });

  const count = async (runner: StatementRunner, what: string): Promise<number> => {
    const rows = await runner.query<{ Value: string }[]>(`SHOW SESSION STATUS LIKE 'Com_stmt_${what}'`);
    return Number(rows[0]?.Value);
  };

  it('prepares the statements of a transaction only after its end', async () => {
    const sql = 'SELECT id, n, name FROM item WHERE n <= ? ORDER BY id';
    const rows = [
      { id: 1, n: Number.MAX_SAFE_INTEGER, name: 'it\'s \\ "one"' },
      { id: 2, n: -5, name: null },
    ];
    const before = await count(dataSource, 'prepare');
    await dataSource.transaction(async (manager) => {
      expect(await manager.query(sql, [Number.MAX_SAFE_INTEGER])).toEqual(rows);
      expect(await count(manager, 'prepare')).toBe(before);
    });
    expect(await count(dataSource, 'prepare')).toBe(before + 1);
    const executed = await count(dataSource, 'execute');
    await dataSource.transaction(async (manager) => {
      expect(await manager.query(sql, [Number.MAX_SAFE_INTEGER])).toEqual(rows);
      expect(await count(manager, 'prepare')).toBe(before + 1);
      expect(await count(manager, 'execute')).toBe(executed + 1);
    });
  });

  it.each([true, false, null, 0, -1.5, 'a\u0000b', "'; DROP TABLE item; --", '\\', '😀', '%_'])(
    'gets the same result for %j in text and prepared statements',
    async (value) => {
      const sql = 'SELECT ? AS echo FROM item WHERE id = ?';
      let inside: unknown;
      await dataSource.transaction(async (manager) => {
        inside = await manager.query(sql, [value, 2]);
      });
      const asText = inside as { echo: unknown }[];
      const prepared = await dataSource.query<{ echo: unknown }[]>(sql, [value, 2]);
      expect(asText.map(({ echo }) => String(echo))).toEqual(prepared.map(({ echo }) => String(echo)));
    },
  );
});

describe(`${ConnectionStatements.name} at its own limit`, () => {
  it('keeps the statements that it has prepared last', () => {
    const sent: string[] = [];
    const connection = {
      execute: (sql: string, _parameters: unknown[], done: (error: Error | null, rows: string) => void) => {
        sent.push(`execute ${sql}`);
        done(null, sql);
      },
      query: (sql: string) => sent.push(`query ${sql}`),
      unprepare: (sql: string) => sent.push(`unprepare ${sql}`),
    } as unknown as PoolConnection;
    const statements = new ConnectionStatements(connection, 2);
    const send = (sql: string, isInTransaction = false): unknown =>
      statements.send(sql, [1], isInTransaction, () => undefined);

    for (const sql of ['a', 'b', 'a', 'c']) send(sql);
    for (const sql of ['a', 'b', 'c']) send(sql, true);

    expect(sent).toEqual([
      ...['execute a', 'execute b', 'execute a', 'execute c', 'unprepare a'],
      ...['query a', 'execute b', 'execute c'],
    ]);
  });
});

describe(`${ConnectionStatements.name} at the server's limit of prepared statements`, () => {
  const tooMany = Object.assign(new Error('max_prepared_stmt_count'), { errno: 1461 });

  it('falls back to text statements and prepares no further ones', () => {
    const sent: string[] = [];
    const connection = {
      execute: (sql: string, _parameters: unknown[], done: (error: Error | null) => void) => {
        sent.push(`execute ${sql}`);
        done(tooMany);
      },
      query: (sql: string, _parameters: unknown[], done: (error: null, rows: string) => void) => {
        sent.push(`query ${sql}`);
        done(null, sql);
      },
    } as unknown as PoolConnection;
    const statements = new ConnectionStatements(connection, 10);
    const results: unknown[] = [];
    const send = (sql: string): unknown =>
      statements.send(sql, [1], false, (error, result) => results.push(error ?? result));

    send('a');
    send('b');

    expect(sent).toEqual(['execute a', 'query a', 'query b']);
    expect(results).toEqual(['a', 'b']);
  });

  it('prepares no further statements of transactions after their end', () => {
    const sent: string[] = [];
    const connection = {
      query: (sql: string) => sent.push(`query ${sql}`),
      prepare: (sql: string, done: (error: Error) => void) => {
        sent.push(`prepare ${sql}`);
        done(tooMany);
      },
    } as unknown as PoolConnection;
    const statements = new ConnectionStatements(connection, 10);
    const transaction = (sql: string): void => {
      statements.send(sql, [1], true, () => undefined);
      statements.prepareWanted();
    };

    transaction('a');
    transaction('b');

    expect(sent).toEqual(['query a', 'prepare a', 'query b']);
  });
});
