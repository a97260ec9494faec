import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { describeOnServer } from '../../../test/support/engines';
import { createDataSource } from '../connections/data-source';
import { readTables } from './tables';

describeOnServer(readTables.name, () => {
  const databases: TestDatabase[] = [];

  afterEach(async () => {
    for (const { drop } of databases.splice(0)) await drop();
  });

  async function withDatabase<T>(work: (query: (sql: string) => Promise<any>) => Promise<T>): Promise<T> {
    const database = await createTestDatabase();
    databases.push(database);
    const settings = { DATABASE_URL: database.url as string, DATABASE_POOL_SIZE: 1 };
    const dataSource = await createDataSource(settings, []).initialize();
    try {
      return await work((sql) => dataSource.query(sql));
    } finally {
      await dataSource.destroy();
    }
  }

  const OWN =
    'CREATE TABLE own (b integer NOT NULL, a integer NOT NULL, text varchar(9), PRIMARY KEY (a, b))';

  it('reads keys in their order, and columns by name', () =>
    withDatabase(async (query) => {
      await query(OWN);
      await query('CREATE TABLE keyless (flag tinyint NOT NULL)');
      expect(await readTables({ query }, false)).toEqual([
        { name: 'keyless', key: [], columns: [{ name: 'flag', kind: 'boolean' }] },
        {
          name: 'own',
          key: ['a', 'b'],
          columns: [
            { name: 'a', kind: 'integer' },
            { name: 'b', kind: 'integer' },
            { name: 'text', kind: 'text' },
          ],
        },
      ]);
    }));

  it('opens no table of another database', () =>
    withDatabase(async (query) => {
      await query(OWN);
      const [{ name }] = await withDatabase(async (queryOther) => {
        await queryOther('CREATE TABLE other (id integer NOT NULL PRIMARY KEY)');
        return queryOther('SELECT DATABASE() AS name');
      });
      await readTables({ query }, false);
      expect(await query(`SHOW OPEN TABLES FROM \`${name}\``)).toEqual([]);
    }));
});
