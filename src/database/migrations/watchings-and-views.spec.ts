import { type DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { createDataSource } from '../connections/data-source';
import { WatchingsAndViews1795400020000 } from './1795400020000-watchings-and-views';
import { migrations } from '.';

type Row = Record<string, number | string | null>;

describe('the migration WatchingsAndViews', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = createDataSource(
      { DATABASE_URL: database.url ?? 'sqlite::memory:', DATABASE_POOL_SIZE: 1 },
      [],
    );
    await dataSource.initialize();
  });

  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  /** Inserts a row and fills the remaining columns with 1 or a text. */
  async function insert(table: string, row: Row): Promise<void> {
    const columns = await dataSource.query<{ name: string; isText: number | string }[]>(
      database.url === undefined
        ? `SELECT name, type LIKE '%char%' OR type LIKE '%text%' AS isText FROM pragma_table_info('${table}')
            WHERE "notnull" = 1 AND dflt_value IS NULL`
        : `SELECT column_name AS name, data_type LIKE '%char%' OR data_type LIKE '%text%' AS isText
             FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = '${table}'
              AND is_nullable = 'NO' AND column_default IS NULL`,
    );
    const given = columns.map(({ name, isText }): [string, Row[string]] => [
      name,
      Number(isText) ? `T${String(row.id)}` : 1,
    ]);
    const values = { ...Object.fromEntries(given), ...row };
    const names = Object.keys(values).map((name) => `\`${name}\``);
    const marks = names.map(() => '?').join();
    await dataSource.query(
      `INSERT INTO \`${table}\` (${names.join()}) VALUES (${marks})`,
      Object.values(values),
    );
  }

  it('fills the receiver, project and visibility of existing stars', async () => {
    const all = dataSource.migrations;
    const index = migrations.indexOf(WatchingsAndViews1795400020000);
    Object.assign(dataSource, { migrations: all.slice(0, index) });
    await dataSource.runMigrations();
    for (const id of [1, 2, 3, 4, 5]) await insert('user', { id });
    await insert('project', { id: 7 });
    for (const id of [1, 2, 3]) await insert('comment_thread', { id, project_id: 7 });
    await insert('issue_type', { id: 1, project_id: 7 });
    await insert('issue_status', { id: 1, project_id: 7 });
    await insert('issue', { id: 1, project_id: 7, thread_id: 1, created_user_id: 2 });
    await insert('git_repository', { id: 1, project_id: 7 });
    await insert('pull_request', {
      id: 1,
      project_id: 7,
      repository_id: 1,
      thread_id: 2,
      created_user_id: 3,
    });
    await insert('wiki', { id: 1, project_id: 7, thread_id: 3, created_user_id: 4 });
    await insert('comment', { id: 1, thread_id: 1, created_user_id: 5 });
    await insert('comment', { id: 2, thread_id: 2, created_user_id: 5 });
    for (const threadId of [1, 2, 3]) {
      await insert('star', { id: threadId, thread_id: threadId, comment_id: null, presenter_id: 1 });
    }
    for (const commentId of [1, 2]) {
      await insert('star', { id: 3 + commentId, thread_id: null, comment_id: commentId, presenter_id: 1 });
    }
    Object.assign(dataSource, { migrations: all.slice(0, index + 1) });
    await dataSource.runMigrations();
    const stars = await dataSource.query<Row[]>(
      'SELECT id, receiver_id AS receiver, project_id AS project, developers_only AS git FROM star ORDER BY id',
    );
    const numbers = stars.map(({ id, receiver, project, git }) => [id, receiver, project, git].map(Number));
    expect(numbers).toEqual([
      [1, 2, 7, 0],
      [2, 3, 7, 1],
      [3, 4, 7, 0],
      [4, 5, 7, 0],
      [5, 5, 7, 1],
    ]);
  });
});
