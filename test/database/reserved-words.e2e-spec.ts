import { entities } from '../../src/app.entities';
import { createDataSource } from '../../src/database/connections/data-source';
import { isReserved } from '../support/reserved-words';
import { schemaNames, unquotedNames } from '../support/statement-check';

describe('the names of the schema', () => {
  it('contains no reserved word except stored', async () => {
    const dataSource = createDataSource({ DATABASE_URL: 'sqlite::memory:', DATABASE_POOL_SIZE: 1 }, entities);
    await dataSource.initialize();
    const names = schemaNames(dataSource);
    await dataSource.destroy();
    expect(names.size).toBeGreaterThan(200);
    // Reserved in MySQL since 8.0.
    expect([...names].filter(isReserved)).toEqual(['stored']);
  });
});

describe('unquotedNames', () => {
  const names = new Set(['stored', 'name', 'key']);

  it.each([
    ['a column', 'UPDATE attachment SET stored = ? WHERE id = ?', ['stored']],
    ['a column with a table alias', 'SELECT a.STORED FROM attachment a', ['stored']],
    ['an alias', 'SELECT COUNT(*) AS rows FROM issue', ['rows']],
  ])('finds a reserved word as %s', (_name, sql, found) => {
    expect(unquotedNames(sql, names)).toEqual(found);
  });

  it.each([
    ['in backticks', 'UPDATE attachment SET `stored` = ?'],
    ['in double quotes', 'UPDATE attachment SET "stored" = ?'],
    ['in a string literal', "SELECT 'stored, it''s \\' stored'"],
    ['in a comment', 'SELECT 1 /* stored */ -- stored'],
    ['that is not reserved', 'SELECT name FROM user WHERE id IN (?)'],
    ['as a data type', 'SELECT CAST(? AS BINARY) AS value'],
  ])('ignores a name %s', (_name, sql) => {
    expect(unquotedNames(sql, names)).toEqual([]);
  });
});
