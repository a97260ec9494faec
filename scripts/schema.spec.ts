import { type DataSource } from 'typeorm';
import { entities } from '../src/app.entities';
import { createDataSource } from '../src/database/connections/data-source';
import { migrateDatabase } from '../src/database/migrating/migrate';
import { addColumns, addTables } from './schema';

let dataSource: DataSource;

beforeEach(async () => {
  dataSource = createDataSource({ DATABASE_URL: 'sqlite::memory:', DATABASE_POOL_SIZE: 1 }, entities);
  await dataSource.initialize();
  await migrateDatabase(dataSource);
});

afterEach(() => dataSource.destroy());

const differences = async () => (await dataSource.driver.createSchemaBuilder().log()).upQueries;

describe('addTables', () => {
  it('adds tables at once with their foreign keys and indexes, after which nothing differs', async () => {
    await dataSource.query('DROP TABLE issue_shared_file');
    expect(await addTables(dataSource)).toEqual([
      expect.stringMatching(/^CREATE TABLE "issue_shared_file" .* FOREIGN KEY/),
      expect.stringMatching(/^CREATE INDEX "ix_issue_shared_file_issue_id" /),
    ]);
    expect(await differences()).toEqual([]);
  });
});

describe('addColumns', () => {
  it.each([
    ['notification', null],
    ['lang', 'en'],
  ])('adds %s to a table with a row in place, after which nothing differs', async (column, value) => {
    await dataSource.query(
      "INSERT INTO space (space_key, name, used_bytes, created) VALUES ('A', 'A', 0, 0)",
    );
    await dataSource.query(`ALTER TABLE space DROP COLUMN ${column}`);
    expect(await addColumns(dataSource)).toEqual([
      expect.stringMatching(`^ALTER TABLE "space" ADD COLUMN "${column}" `),
    ]);
    expect(await dataSource.query(`SELECT ${column} AS value FROM space`)).toEqual([{ value }]);
    expect(await differences()).toEqual([]);
  });

  it('leaves a column without a default to the schema builder', async () => {
    await dataSource.query('ALTER TABLE issue DROP COLUMN description');
    expect(await addColumns(dataSource)).toEqual([]);
  });
});
