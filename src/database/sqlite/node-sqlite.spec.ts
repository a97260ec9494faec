import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { TemporaryFolder } from '../../../test/support/sqlite';
import type * as NodeSqlite from './node-sqlite';

const require = createRequire(__filename);

const own = process.getBuiltinModule('node:sqlite') as { StatementSync: { prototype: object } } | undefined;
const hasOwn = own !== undefined && 'columns' in own.StatementSync.prototype;

/** Loads the module as on a Node.js with or without built-in SQLite. */
function load(build: string): typeof NodeSqlite {
  const builtin = vi.spyOn(process, 'getBuiltinModule');
  if (build === 'the package') builtin.mockReturnValue(undefined);
  try {
    const loaded = loadAnew();
    // The build is chosen at the first connection.
    new loaded.SqliteDatabase(':memory:').close();
    return loaded;
  } finally {
    builtin.mockRestore();
  }
}

/** Loads the module without the build that it has chosen before. */
function loadAnew(): typeof NodeSqlite {
  Reflect.deleteProperty(require.cache, require.resolve('./node-sqlite'));
  return require('./node-sqlite') as typeof NodeSqlite;
}

describe.each(hasOwn ? ["Node's own SQLite", 'the package'] : ['the package'])(
  'SqliteDatabase of %s',
  (build) => {
    const { closesAtOnce, SqliteDatabase } = load(build);
    let folder: TemporaryFolder;
    let database: NodeSqlite.SqliteDatabase;

    beforeEach(() => {
      folder = new TemporaryFolder();
      database = new SqliteDatabase(folder.file('test.db'), { timeout: 10 });
      database.exec(`PRAGMA foreign_keys = ON;
      CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT UNIQUE, size INTEGER NOT NULL DEFAULT 0 CHECK (size >= 0),
        parent INTEGER REFERENCES item (id));
      INSERT INTO item (id, name) VALUES (1, 'one')`);
    });

    afterEach(() => {
      database.close();
      folder.remove();
    });

    const run = (sql: string) => database.prepare(sql).run();
    const all = (sql: string) => database.prepare(sql).all();

    it('reports which statements return rows', () => {
      const statements = [
        'SELECT 1',
        'PRAGMA user_version',
        'INSERT INTO item DEFAULT VALUES',
        'INSERT INTO item DEFAULT VALUES RETURNING id',
      ];
      expect(statements.map((sql) => database.prepare(sql).reader)).toEqual([true, true, false, true]);
    });

    it('returns the number of changed rows and the last id', () => {
      expect(run("INSERT INTO item (name) VALUES ('two'), ('three')")).toEqual({
        changes: 2,
        lastInsertRowid: 3,
      });
    });

    it.each([
      ['undefined', undefined, null],
      ['null', null, null],
      ['true', true, 1],
      ['false', false, 0],
      ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
      ['a small bigint', 42n, 42],
      ['the largest safe integer', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
      ['a fraction', 1.5, 1.5],
      ['bytes', Buffer.from([1, 255]), new Uint8Array([1, 255])],
      ['a text beyond the basic plane', 'a😀\u200db', 'a😀\u200db'],
    ])('stores %s', (_name, given, stored) => {
      expect(database.prepare('SELECT ? AS value').all(given)).toEqual([{ value: stored }]);
    });

    it('refuses an object as a value', () => {
      expect(() => database.prepare('SELECT ?').all({})).toThrow(TypeError);
    });

    it.each([
      ['SQLITE_CONSTRAINT_UNIQUE', "INSERT INTO item (name) VALUES ('one')"],
      ['SQLITE_CONSTRAINT_PRIMARYKEY', 'INSERT INTO item (id) VALUES (1)'],
      ['SQLITE_CONSTRAINT_NOTNULL', 'INSERT INTO item (size) VALUES (NULL)'],
      ['SQLITE_CONSTRAINT_CHECK', 'INSERT INTO item (size) VALUES (-1)'],
      ['SQLITE_CONSTRAINT_FOREIGNKEY', 'INSERT INTO item (parent) VALUES (99)'],
    ])('reports a violated constraint as %s', (code, sql) => {
      expect(() => run(sql)).toThrow(expect.objectContaining({ code }));
      expect(() => database.exec(sql)).toThrow(expect.objectContaining({ code }));
      const returning = sql.startsWith('INSERT') ? `${sql} RETURNING id` : sql;
      expect(() => database.prepare(returning).all()).toThrow(expect.objectContaining({ code }));
    });

    it('reports an extended code without a name as its primary code', () => {
      database.exec(`CREATE TRIGGER no_delete BEFORE DELETE ON item BEGIN SELECT RAISE(ABORT, 'no'); END`);
      expect(() => run('DELETE FROM item')).toThrow(expect.objectContaining({ code: 'SQLITE_CONSTRAINT' }));
    });

    it('reports a syntax error as ERR_SQLITE_ERROR', () => {
      expect(() => database.prepare('SELEC')).toThrow(expect.objectContaining({ code: 'ERR_SQLITE_ERROR' }));
    });

    describe('on a file in use by another connection', () => {
      let other: NodeSqlite.SqliteDatabase;

      beforeEach(() => {
        other = new SqliteDatabase(folder.file('test.db'));
      });

      afterEach(() => other.close());

      it.each([
        ['run', () => run('DELETE FROM item')],
        ['exec', () => database.exec('DELETE FROM item')],
        ['all', () => all('SELECT * FROM item')],
        ['pragma', () => database.pragma('journal_mode = WAL')],
      ])('fails with SQLITE_BUSY in %s while the file is locked', (_name, use) => {
        all('SELECT * FROM item');
        other.exec('BEGIN EXCLUSIVE');
        expect(use).toThrow(expect.objectContaining({ code: 'SQLITE_BUSY' }));
        other.exec('ROLLBACK');
        expect(use).not.toThrow();
      });

      it('fails with SQLITE_BUSY_SNAPSHOT when its snapshot is stale', () => {
        database.pragma('journal_mode = WAL');
        database.exec('BEGIN');
        all('SELECT * FROM item');
        other.exec('UPDATE item SET size = 1');
        expect(() => run('UPDATE item SET size = 2')).toThrow(
          expect.objectContaining({ code: 'SQLITE_BUSY_SNAPSHOT' }),
        );
      });
    });

    it('closes a file with statements at once, or says that it does not', () => {
      const file = folder.file('log.db');
      const writer = new SqliteDatabase(file);
      writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE item (id INTEGER)');
      const statement = writer.prepare('SELECT id FROM item');
      statement.all();
      writer.close();
      // The log of a file is removed with its last connection.
      expect(existsSync(`${file}-wal`)).toBe(!closesAtOnce());
      expect(closesAtOnce()).toBe(build !== 'the package');
      expect(statement.reader).toBe(true);
    });

    it('refuses writes when opened read-only', () => {
      const reader = new SqliteDatabase(folder.file('test.db'), { readonly: true });
      expect(reader.prepare('SELECT name FROM item').all()).toEqual([{ name: 'one' }]);
      expect(() => reader.exec('DELETE FROM item')).toThrow(
        expect.objectContaining({ code: 'SQLITE_READONLY' }),
      );
      reader.close();
    });

    it('distinguishes a file that cannot be opened from one that is no database', () => {
      expect(() => new SqliteDatabase(folder.file('no/such/folder.db'))).toThrow(
        expect.objectContaining({ code: 'SQLITE_CANTOPEN' }),
      );
      writeFileSync(folder.file('text.db'), 'not a database'.repeat(100));
      const text = new SqliteDatabase(folder.file('text.db'));
      expect(() => text.pragma('journal_mode = WAL')).toThrow(
        expect.objectContaining({ code: 'SQLITE_NOTADB' }),
      );
      text.close();
    });
  },
);

/** A package whose loading fails, as that of one that is not installed. */
const missing = Object.defineProperty({ loaded: true } as NodeJS.Module, 'exports', {
  get() {
    throw new Error('not installed');
  },
});

describe('SqliteDatabase on a Node.js without SQLite and without the package', () => {
  it('names the missing package', () => {
    const builtin = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
    const file = require.resolve('@photostructure/sqlite');
    const { [file]: installed } = require.cache;
    require.cache[file] = missing;
    try {
      const { SqliteDatabase } = loadAnew();
      expect(() => new SqliteDatabase(':memory:')).toThrow('@photostructure/sqlite');
    } finally {
      require.cache[file] = installed;
      builtin.mockRestore();
    }
  });
});
