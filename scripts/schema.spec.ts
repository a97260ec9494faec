import { type DataSource } from 'typeorm';
import { entities } from '../src/app.entities';
import { createDataSource } from '../src/database/connections/data-source';
import { migrateDatabase } from '../src/database/migrating/migrate';
import { addColumns } from './schema';

describe('addColumns', () => {
  let dataSource: DataSource;

  beforeEach(async () => {
    dataSource = createDataSource({ DATABASE_URL: 'sqlite::memory:', DATABASE_POOL_SIZE: 1 }, entities);
    await dataSource.initialize();
    await migrateDatabase(dataSource);
  });

  afterEach(() => dataSource.destroy());

  it.each([
    ['issue', 'actual_hours'],
    ['git_repository', 'default_branch'],
  ])('adds a column to %s in place, after which nothing differs', async (table, column) => {
    await dataSource.query(`ALTER TABLE ${table} DROP COLUMN ${column}`);
    expect(await addColumns(dataSource)).toEqual([
      expect.stringMatching(`^ALTER TABLE "${table}" ADD COLUMN "${column}" `),
    ]);
    expect((await dataSource.driver.createSchemaBuilder().log()).upQueries).toEqual([]);
  });

  it('leaves a column without a default to the schema builder', async () => {
    await dataSource.query('ALTER TABLE issue DROP COLUMN summary');
    expect(await addColumns(dataSource)).toEqual([]);
  });
});
