import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const SCRIPT = join(__dirname, 'check-statements.mjs');

const ENTITIES = [
  ['src/users/entities/user.entity.ts', "@Entity('user', tableOptions)\nexport class User {}\n"],
  ['src/shop/orders/entities/order.entity.ts', "@Entity('order')\nexport class Order {}\n"],
] as const;

/** A description, the path and the text of a file. */
const ACCEPTED: [string, string, string][] = [
  ['a query in a data room', 'src/users/data/accepted-1.ts', 'runner.query<Row[]>("SELECT 1");'],
  ['a query in the data room of a part', 'src/shop/orders/data/accepted-2.ts', 'this.runner.query(sql);'],
  ['a query in the database folder', 'src/database/accepted-3.ts', 'runner.query("SELECT id FROM user");'],
  ['a query in a spec', 'src/users/accepted-4.spec.ts', 'runner.query("SELECT id FROM `order`");'],
  ['a query string', 'src/users/accepted-5.ts', 'const { query } = request; parse(request.query);'],
  ['an own table', 'src/users/data/accepted-6.ts', 'const sql = `SELECT id FROM user`;'],
  ['a table of another part', 'src/shop/data/accepted-7.ts', 'const sql = "SELECT id FROM `order`";'],
  [
    'an own fragment outside of a data room',
    'src/users/accepted-8.ts',
    'const sql = "(SELECT 1 FROM user)";',
  ],
  [
    'a fragment of the owner',
    'src/shop/data/accepted-9.ts',
    'const sql = `FROM ${USERS} JOIN ${join("user")} u`;',
  ],
  [
    'a table that nobody has',
    'src/shop/data/accepted-10.ts',
    'const sql = "SELECT name FROM sqlite_master";',
  ],
  ['a longer name', 'src/shop/data/accepted-11.ts', 'const sql = "SELECT id FROM user_agent";'],
  ['prose', 'src/shop/accepted-12.ts', 'const summary = "Update user settings from user input";'],
  ['a comment', 'src/shop/accepted-13.ts', '// SELECT id FROM user\n/** JOIN user */'],
  ['a lock', 'src/shop/data/accepted-14.ts', 'const sql = "SELECT 1 FOR UPDATE user";'],
  ['an upsert', 'src/shop/data/accepted-15.ts', 'const sql = "ON DUPLICATE KEY UPDATE user = 1";'],
];

/** The same, with a part of the message. */
const REFUSED: [string, string, string, string][] = [
  [
    'a query in a service',
    'src/users/refused-16.ts',
    'this.dataSource.query("SELECT 1");',
    'runs a statement',
  ],
  ['a query with a type', 'src/users/refused-17.ts', 'await manager.query<Row[]>(sql);', 'runs a statement'],
  ['a chained query', 'src/users/refused-18.ts', 'runner?.query(sql);', 'runs a statement'],
  ['a query at the root', 'src/refused-19.ts', 'runner.query(sql);', 'runs a statement'],
  ['a table read', 'src/shop/data/refused-20.ts', 'const sql = "SELECT id FROM user";', 'the table user'],
  ['a table joined', 'src/shop/refused-21.ts', 'const sql = `LEFT JOIN user u ON ${id}`;', 'the table user'],
  ['a table updated', 'src/shop/refused-22.ts', "const sql = 'UPDATE user SET a = 1';", 'the table user'],
  [
    'a table inserted into',
    'src/shop/refused-23.ts',
    "const sql = 'INSERT INTO user (id)';",
    'the table user',
  ],
  ['a table deleted from', 'src/shop/refused-24.ts', "const sql = 'DELETE FROM user';", 'the table user'],
  [
    'a table in quotes',
    'src/users/refused-25.ts',
    'const sql = `SELECT 1 FROM \\`order\\``;',
    'the table order',
  ],
  [
    'a table after an expression',
    'src/users/refused-26.ts',
    'const sql = `${head} FROM order`;',
    'the table order',
  ],
  ['a table on the next line', 'src/users/refused-27.ts', 'const sql = `FROM\n  order`;', 'the table order'],
  ['a table in a nested text', 'src/users/refused-28.ts', 'f(`${g("JOIN order")}`);', 'src/shop/'],
  ['a table at the root', 'src/refused-29.ts', 'const sql = "SELECT id FROM user";', 'src/users/'],
];

describe('check-statements', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'check-statements-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Checks files at once, because each run loads the compiler. */
  function check(files: readonly (readonly [path: string, text: string])[]): {
    status: number | null;
    problems: string[];
  } {
    for (const [path, text] of [...ENTITIES, ...files]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const { status, stderr } = spawnSync(process.execPath, [SCRIPT], { cwd: folder, encoding: 'utf8' });
    return { status, problems: stderr.split('\n').filter((line) => line !== '') };
  }

  it('accepts statements of the module that owns their tables', () => {
    const files = ACCEPTED.map(([, path, text]) => [path, text] as const);
    expect(check(files)).toEqual({ status: 0, problems: [] });
  });

  it('reports every other statement once, with its line', () => {
    const files = REFUSED.map(([, path, text]) => [path, `\n${text}\n`] as const);
    const { status, problems } = check(files);
    expect(status).toBe(1);
    for (const [what, path, , problem] of REFUSED) {
      const found = problems.filter((line) => line.startsWith(`${path}:2: `) && line.includes(problem));
      expect([what, found.length]).toEqual([what, 1]);
    }
    expect(problems).toHaveLength(REFUSED.length);
  });

  it('names the line of a table in a template literal', () => {
    const text = 'const sql = `SELECT ${columns(\n  1,\n)}\n  FROM user`;\n';
    expect(check([['src/shop/data/a.ts', text]]).problems).toEqual([
      expect.stringMatching(/^src\/shop\/data\/a\.ts:4: /),
    ]);
  });
});
