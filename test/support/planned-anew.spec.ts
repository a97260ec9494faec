import { SqliteDatabase } from '../../src/database/sqlite/node-sqlite';
import { canSeePlans, plannedAnew } from './planned-anew';

describe.skipIf(!canSeePlans())('plannedAnew', () => {
  let database: SqliteDatabase;

  beforeEach(() => {
    database = new SqliteDatabase(':memory:');
    database.exec('CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, parent_id INTEGER)');
  });

  afterEach(() => database.close());

  it('finds a statement whose parameter SQLite looks at', () => {
    const looked = 'SELECT id FROM item LIMIT (?)';
    expect(plannedAnew(database, [looked, 'SELECT id FROM item WHERE id IN (?, ?)'])).toEqual([looked]);
  });

  it.each([
    'SELECT id FROM item LIMIT ? OFFSET ?',
    "SELECT id FROM item WHERE name LIKE ? ESCAPE '!'",
    'SELECT i.id FROM item i JOIN item p ON p.id = i.parent_id WHERE i.id = ? AND p.id IS ?',
    'SELECT id FROM item WHERE parent_id = ? ORDER BY name',
    'DELETE FROM item WHERE id = ? AND EXISTS (SELECT 1 FROM item p WHERE p.id = item.parent_id AND p.id = ?)',
  ])('accepts %s', (sql) => {
    expect(plannedAnew(database, [sql])).toEqual([]);
  });

  it('executes nothing', () => {
    plannedAnew(database, [
      'INSERT INTO item (id, parent_id) VALUES (?, ?)',
      'SELECT name FROM missing WHERE id = ?',
    ]);
    expect(database.prepare('SELECT id FROM item').all()).toEqual([]);
  });
});
