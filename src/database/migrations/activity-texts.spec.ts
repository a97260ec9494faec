import { type DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { createDataSource } from '../connections/data-source';
import { ActivityTexts1795305292174 } from './1795305292174-activity-texts';
import { migrations } from '.';

const DIGESTS = ['A', 'B'].map((letter) => letter.repeat(43)) as [string, string];
const TEXTS = ['A long "text"\n\\ 😀', 'Another'] as const;

describe('the migration ActivityTexts', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeEach(async () => {
    database = await createTestDatabase();
    dataSource = createDataSource(
      { DATABASE_URL: database.url ?? 'sqlite::memory:', DATABASE_POOL_SIZE: 1 },
      [],
    );
    await dataSource.initialize();
  });

  afterEach(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  const write = (sql: string, parameters: unknown[] = []): Promise<unknown> =>
    dataSource.query(sql, parameters);

  /** Runs the migrations that precede the tested one. */
  async function migrateBefore(): Promise<void> {
    const all = dataSource.migrations;
    const index = migrations.indexOf(ActivityTexts1795305292174);
    Object.assign(dataSource, { migrations: all.slice(0, index) });
    await dataSource.runMigrations();
    Object.assign(dataSource, { migrations: all.slice(0, index + 1) });
  }

  async function addProject(): Promise<void> {
    await write(
      `INSERT INTO user (id, user_id, name, role_type, lang, mail_address, last_login_time, created, vendor_id, vendor_name,
                         vendor_unique_id, active)
       VALUES (1, 'dana', 'Dana', 1, 'en', 'dana@example.com', 1, 1, 'v', 'v', 'v', 1)`,
    );
    const columns = await dataSource.query<{ name: string; isText: number | string }[]>(
      database.url === undefined
        ? `SELECT name, type LIKE '%char%' OR type LIKE '%text%' AS isText FROM pragma_table_info('project')
            WHERE "notnull" = 1 AND dflt_value IS NULL AND pk = 0`
        : `SELECT column_name AS name, data_type LIKE '%char%' OR data_type LIKE '%text%' AS isText
             FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'project'
              AND is_nullable = 'NO' AND column_default IS NULL AND extra = ''`,
    );
    await write(
      `INSERT INTO project (id, ${columns.map(({ name }) => name).join()})
       VALUES (1, ${columns.map(({ isText }) => (Number(isText) ? "'P'" : '1')).join()})`,
    );
    await write(
      `INSERT INTO webhook (id, project_id, name, description, hook_url, all_event, activity_type_ids, created_user_id, created,
                            updated_user_id, updated, secret)
       VALUES (1, 1, 'Chat', '', 'http://127.0.0.1:9/', 1, '[]', 1, 1, 1, 1, 'k.new'),
              (2, 1, 'Chat', '', 'http://127.0.0.1:9/', 1, '[]', 1, 1, 1, 1, NULL)`,
    );
  }

  it('keeps previous secrets of webhooks and leaves message_id of deliveries null', async () => {
    await migrateBefore();
    await addProject();
    await write(
      "UPDATE webhook SET previous_secret = 'k.old-_', previous_secret_expires = 1795305292174 WHERE id = 1",
    );
    await write("INSERT INTO webhook_event (id, activity_type, payload, created) VALUES (1, 3, '{}', 1)");
    await write(
      `INSERT INTO webhook_delivery (id, event_id, webhook_id, state, attempt, next_at, lease_until, created)
       VALUES (7, 1, 1, 0, 0, 1, 0, 1)`,
    );
    await dataSource.runMigrations();
    const webhooks = await dataSource.query<{ secret: string | null; previous: string | null }[]>(
      'SELECT secret, previous_secrets AS previous FROM webhook ORDER BY id',
    );
    expect(webhooks).toEqual([
      { secret: 'k.new', previous: '[{"secret":"k.old-_","expires":1795305292174}]' },
      { secret: null, previous: null },
    ]);
    expect(await dataSource.query('SELECT id, message_id AS messageId FROM webhook_delivery')).toEqual([
      { id: 7, messageId: null },
    ]);
  });

  it('reverts on a server without losing a text', async () => {
    if (database.url === undefined) return;
    await migrateBefore();
    await addProject();
    await dataSource.runMigrations();
    for (const [index, digest] of DIGESTS.entries()) {
      await write('INSERT INTO activity_text (digest, project_id, text) VALUES (?, 1, ?)', [
        digest,
        TEXTS[index],
      ]);
    }
    const reference = (index: 0 | 1): object => ({ $text: DIGESTS[index] });
    const content = JSON.stringify({
      description: reference(0),
      comment: { content: reference(1) },
      summary: 'S',
    });
    const complete = JSON.stringify({ description: TEXTS[0], comment: { content: TEXTS[1] }, summary: 'S' });
    await write(
      'INSERT INTO activity (id, project_id, type, content, created_user_id, created) VALUES (1, 1, 3, ?, 1, 1), (2, 1, 3, ?, 1, 1)',
      [content, complete],
    );
    await write(
      'INSERT INTO webhook_event (id, activity_id, activity_type, payload, created) VALUES (1, 1, 3, ?, 1)',
      [content],
    );
    await write(
      `INSERT INTO wiki_version (wiki_id, version, name, content, content_version, created_user_id, created)
       VALUES (1, 1, 'N', 'Content', NULL, 1, 1), (1, 2, 'M', '', 1, 1, 1)`,
    );
    await write('UPDATE webhook SET previous_secrets = ? WHERE id = 1', [
      JSON.stringify([
        { secret: 'k.newer', expires: 1795305292174 },
        { secret: 'k.older', expires: 1 },
      ]),
    ]);
    await dataSource.undoLastMigration();
    expect(await dataSource.query('SELECT content FROM activity ORDER BY id')).toEqual([
      { content: complete },
      { content: complete },
    ]);
    expect(await dataSource.query('SELECT payload FROM webhook_event')).toEqual([{ payload: complete }]);
    expect(await dataSource.query('SELECT content FROM wiki_version ORDER BY version')).toEqual([
      { content: 'Content' },
      { content: 'Content' },
    ]);
    expect(
      await dataSource.query(
        'SELECT previous_secret AS secret, previous_secret_expires AS expires FROM webhook ORDER BY id',
      ),
    ).toEqual([
      { secret: 'k.newer', expires: 1795305292174 },
      { secret: null, expires: null },
    ]);
  });
});
