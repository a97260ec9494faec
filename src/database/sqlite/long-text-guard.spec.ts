import { LongTextGuard } from './long-text-guard';
import { SqliteDatabase } from './node-sqlite';

/** The longest text that is not long, of three-byte characters. */
const SHORT = 'あ'.repeat(5461);
const LONG = `${SHORT}ab`;

describe(LongTextGuard.name, () => {
  const guard = new LongTextGuard(() => ['content', 'change_log']);
  let database: SqliteDatabase;

  beforeEach(() => {
    database = new SqliteDatabase(':memory:');
    guard.prepare(database);
    database.exec('CREATE TABLE note (id INTEGER PRIMARY KEY, content mediumtext, change_log mediumtext)');
    const insert = database.prepare('INSERT INTO note (content, change_log) VALUES (?, ?)');
    insert.run(SHORT, '[]');
    insert.run('two', null);
    insert.run('three', LONG);
    insert.run(LONG, null);
  });

  afterEach(() => database.close());

  const read = (sql: string) => guard.read(() => database.prepare(guard.guard(sql)).all());

  it.each([
    ['a quoted column', 'SELECT n.`content` AS `content` FROM note n'],
    ['a column of a quoted table', 'SELECT `n`.`content` AS `content` FROM note n'],
    ['a column with an alias', 'SELECT n.content AS text FROM note n'],
    ['a quoted column of the only table', 'SELECT `content` AS `content` FROM note n'],
    ['a column of the only table', 'SELECT id, content AS text FROM note n'],
    ['a packed column', 'SELECT JSON_ARRAY(n.id, n.`content`) AS data FROM note n'],
    ['a column that is null in other rows', 'SELECT n.id AS id, n.`change_log` AS `log` FROM note n'],
  ])('refuses rows with a long text in %s', (_name, sql) => {
    const short = `${sql} WHERE n.id < 3 ORDER BY n.id`;
    expect(read(short)).toEqual(database.prepare(short).all());
    expect(read(short)).toHaveLength(2);
    expect(read(sql)).toBeUndefined();
    expect(read(short)).toHaveLength(2);
  });

  it.each(['n.content = ?', "n.content LIKE 'a%' AND n.content IS NOT NULL", 'instr(n.content, n.content)'])(
    'leaves the condition %s as it is',
    (condition) => {
      const sql = `SELECT n.id AS id FROM note n WHERE ${condition}`;
      expect(guard.guard(sql)).toBe(sql);
    },
  );

  it.each([
    'SELECT c.`id` AS `content`, 1 AS content, NULL AS change_log FROM note c',
    'WITH content AS (SELECT 1) SELECT * FROM content',
    'SELECT n.old_content AS old, content_id AS id FROM note n',
  ])('leaves %s as it is, which has no column with long texts', (sql) => {
    expect(guard.guard(sql)).toBe(sql);
  });

  it('leaves statements as they are if no column has long texts', () => {
    const sql = 'SELECT n.`content` AS `content` FROM note n';
    expect(new LongTextGuard(() => []).guard(sql)).toBe(sql);
  });

  it('passes other errors on', () => {
    expect(() => read("SELECT json('{') AS value")).toThrow('malformed JSON');
  });
});
