import { type DataSource } from 'typeorm';
import { Child } from '../../test/support/child';
import { createTestDatabase, type TestDatabase } from '../../test/support/database';
import { TemporaryFolder } from '../../test/support/sqlite';
import { entities } from '../app.entities';
import { createDataSource } from './data-source';
import { isMigrated, migrateDatabase } from './migrate';
import { migrations } from './migrations';

const PROCESSES = 4;

describe(migrateDatabase.name, () => {
  let database: TestDatabase;
  let folder: TemporaryFolder;
  let url: string;
  let opened: DataSource[];

  beforeEach(async () => {
    database = await createTestDatabase();
    folder = new TemporaryFolder();
    url = database.url ?? `sqlite:${folder.file('service.db')}`;
    opened = [];
  });

  afterEach(async () => {
    for (const dataSource of opened) await dataSource.destroy();
    await database.drop();
    folder.remove();
  });

  const open = async (): Promise<DataSource> => {
    const dataSource = createDataSource({ DATABASE_URL: url, DATABASE_POOL_SIZE: 2 }, entities);
    await dataSource.initialize();
    opened.push(dataSource);
    return dataSource;
  };

  const applied = async (dataSource: DataSource): Promise<number> => {
    const rows = await dataSource.query<{ name: string }[]>('SELECT name FROM migrations');
    return rows.length;
  };

  it('is what makes a database migrated', async () => {
    const dataSource = await open();
    expect(await isMigrated(dataSource)).toBe(false);
    await migrateDatabase(dataSource);
    expect(await isMigrated(dataSource)).toBe(true);
  });

  it('does nothing the second time', async () => {
    const dataSource = await open();
    await migrateDatabase(dataSource);
    await migrateDatabase(dataSource);
    expect(await applied(dataSource)).toBe(migrations.length);
  });

  it('finds a database not migrated while one migration is missing, whatever others ran', async () => {
    const dataSource = await open();
    await migrateDatabase(dataSource);
    await dataSource.query("UPDATE migrations SET name = 'AnotherBranch1700000000000' WHERE name = ?", [
      new (migrations[0] as (typeof migrations)[number])().name,
    ]);
    expect(await isMigrated(dataSource)).toBe(false);
  });

  it('makes every table of the entities', async () => {
    const dataSource = await open();
    await migrateDatabase(dataSource);
    for (const entity of entities) expect(await dataSource.getRepository(entity).count()).toBe(0);
  });

  it('migrates an empty database once when several processes start on it at the same moment', async () => {
    const children = Array.from({ length: PROCESSES }, () => new Child('migrate-database', url));
    for (const child of children) expect(await child.nextLine()).toBe('ready');
    for (const child of children) child.go();
    for (const child of children) expect(await child.restOfLines()).toEqual(['migrated']);
    const dataSource = await open();
    expect(await applied(dataSource)).toBe(migrations.length);
    await expect(
      dataSource.query('INSERT INTO comment_thread (project_id) VALUES (999)'),
    ).rejects.toMatchObject({ name: 'QueryFailedError' });
  });

  // Within one process the embedded database's own waiting would stop the others, too.
  if (process.env.TEST_DATABASE_URL) {
    it('migrates an empty database once when several connections meet it in the same state', async () => {
      const dataSources: DataSource[] = [];
      while (dataSources.length < 2 * PROCESSES) dataSources.push(await open());
      await Promise.all(dataSources.map((dataSource) => migrateDatabase(dataSource)));
      expect(await applied(dataSources[0] as DataSource)).toBe(migrations.length);
    });
  }

  it('takes over from a process that died while it migrated', async () => {
    const dataSource = await open();
    await dataSource.query(
      'CREATE TABLE migration_lease (id integer NOT NULL PRIMARY KEY, expires bigint NOT NULL)',
    );
    await dataSource.query('INSERT INTO migration_lease (id, expires) VALUES (1, ?)', [Date.now() - 1]);
    await migrateDatabase(dataSource);
    expect(await isMigrated(dataSource)).toBe(true);
  });

  it('waits for whoever migrates', async () => {
    const dataSource = await open();
    await dataSource.query(
      'CREATE TABLE migration_lease (id integer NOT NULL PRIMARY KEY, expires bigint NOT NULL)',
    );
    await dataSource.query('INSERT INTO migration_lease (id, expires) VALUES (1, ?)', [Date.now() + 60_000]);
    const waiting = migrateDatabase(dataSource);
    expect(await isMigrated(dataSource)).toBe(false);
    await dataSource.query('UPDATE migration_lease SET expires = 0');
    await waiting;
    expect(await isMigrated(dataSource)).toBe(true);
  });

  it('lets the next one migrate when it fails', async () => {
    const dataSource = await open();
    const run = jest.spyOn(dataSource, 'runMigrations').mockRejectedValueOnce(new Error('failed'));
    await expect(migrateDatabase(dataSource)).rejects.toThrow('failed');
    run.mockRestore();
    await migrateDatabase(dataSource);
    expect(await isMigrated(dataSource)).toBe(true);
  });
});
