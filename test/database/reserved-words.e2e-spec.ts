import { entities } from '../../src/app.entities';
import { createDataSource } from '../../src/database/data-source';
import { isReserved } from '../support/reserved-words';
import { schemaNames, unquotedNames } from '../support/statement-check';

describe('names of the schema', () => {
  it('that are reserved on an engine are few, and known', async () => {
    const dataSource = createDataSource({ DATABASE_URL: 'sqlite::memory:', DATABASE_POOL_SIZE: 1 }, entities);
    await dataSource.initialize();
    const names = schemaNames(dataSource);
    await dataSource.destroy();
    expect(names.size).toBeGreaterThan(200);
    // Reserved in MySQL since 8.0.
    expect([...names].filter(isReserved)).toEqual(['stored']);
  });
});

describe('a reserved name without quotes', () => {
  const names = new Set(['stored', 'name', 'key']);

  it.each([
    ['a column', 'UPDATE attachment SET stored = ? WHERE id = ?', ['stored']],
    ['a column behind an alias', 'SELECT a.STORED FROM attachment a', ['stored']],
    ['an alias', 'SELECT COUNT(*) AS rows FROM issue', ['rows']],
  ])('is found as %s', (_name, sql, found) => {
    expect(unquotedNames(sql, names)).toEqual(found);
  });

  it.each([
    ['in backticks', 'UPDATE attachment SET `stored` = ?'],
    ['in double quotes', 'UPDATE attachment SET "stored" = ?'],
    ['in a text', "SELECT 'stored, it''s \\' stored'"],
    ['in a comment', 'SELECT 1 /* stored */ -- stored'],
    ['as a word of SQL', 'SELECT name FROM user WHERE id IN (?)'],
    ['as a type', 'SELECT CAST(? AS BINARY) AS value'],
  ])('is none %s', (_name, sql) => {
    expect(unquotedNames(sql, names)).toEqual([]);
  });
});
