import { setTimeout as sleep } from 'node:timers/promises';
import { type DataSource } from 'typeorm';
import { Child } from '../../../test/support/child';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { itOnServer } from '../../../test/support/engines';
import { TemporaryFolder } from '../../../test/support/sqlite';
import { applyTemplate } from '../../../test/support/template';
import { entities } from '../../app.entities';
import { createDataSource } from '../connections/data-source';
import { isMigrated, migrateDatabase } from './migrate';
import { migrations } from '../migrations';
import { StartRefusedError } from '../connections/start-refused.error';

const PROCESSES = 4;
// A cluster may take a quarter of this time for a renewal.
const LEASE_MS = 1_000;

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

  it('creates the table of every entity, after which isMigrated is true', async () => {
    const dataSource = await open();
    expect(await isMigrated(dataSource)).toBe(false);
    await migrateDatabase(dataSource);
    expect(await isMigrated(dataSource)).toBe(true);
    for (const entity of entities) expect(await dataSource.getRepository(entity).count()).toBe(0);
  });

  describe('on a migrated database', () => {
    beforeEach(() => applyTemplate(url));

    it('applies no migration again', async () => {
      const dataSource = await open();
      await migrateDatabase(dataSource);
      expect(await applied(dataSource)).toBe(migrations.length);
    });

    it('reports the database as not migrated while one migration is missing', async () => {
      const dataSource = await open();
      await dataSource.query("UPDATE migrations SET name = 'AnotherBranch1700000000000' WHERE name = ?", [
        new (migrations[0] as (typeof migrations)[number])().name,
      ]);
      expect(await isMigrated(dataSource)).toBe(false);
    });

    it('refuses a database that a newer version has migrated, naming the migration', async () => {
      const dataSource = await open();
      await dataSource.query(
        "INSERT INTO migrations (timestamp, name) VALUES (1, 'FromTheFuture1900000000000')",
      );
      const again = migrateDatabase(dataSource);
      await expect(again).rejects.toThrow(StartRefusedError);
      await expect(again).rejects.toThrow(/newer version.*FromTheFuture1900000000000.*start that version/);
    });
  });

  // Only one process at a time can use the embedded database.
  itOnServer('migrates an empty database once when several processes start simultaneously', async () => {
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

  itOnServer('migrates an empty database once for several concurrent calls', async () => {
    const dataSources: DataSource[] = [];
    while (dataSources.length < 2 * PROCESSES) dataSources.push(await open());
    await Promise.all(dataSources.map((dataSource) => migrateDatabase(dataSource)));
    expect(await applied(dataSources[0] as DataSource)).toBe(migrations.length);
  });

  itOnServer('takes over from a process that died while it migrated', async () => {
    const dataSource = await open();
    await dataSource.query(
      'CREATE TABLE migration_lease (id integer NOT NULL PRIMARY KEY, expires bigint NOT NULL)',
    );
    await dataSource.query('INSERT INTO migration_lease (id, expires) VALUES (1, ?)', [Date.now() - 1]);
    await migrateDatabase(dataSource);
    expect(await isMigrated(dataSource)).toBe(true);
  });

  itOnServer('waits for another migrating process and logs the wait', async () => {
    const dataSource = await open();
    await dataSource.query(
      'CREATE TABLE migration_lease (id integer NOT NULL PRIMARY KEY, expires bigint NOT NULL)',
    );
    await dataSource.query('INSERT INTO migration_lease (id, expires) VALUES (1, ?)', [Date.now() + 60_000]);
    const lines: string[] = [];
    let hear = (): void => undefined;
    const heardTwice = new Promise<void>((resolve) => (hear = resolve));
    const log = (line: string): void => {
      if (lines.push(line) === 2) hear();
    };
    const waiting = migrateDatabase(dataSource, { log, reportMs: 1 });
    await heardTwice;
    expect(lines[0]).toMatch(
      /Waiting for another process that migrates the database; its lease ends in \d+ s/,
    );
    expect(await isMigrated(dataSource)).toBe(false);
    await dataSource.query('UPDATE migration_lease SET expires = 0');
    await waiting;
    expect(await isMigrated(dataSource)).toBe(true);
  });

  itOnServer('renews its lease during a migration longer than the lease', async () => {
    const dataSource = await open();
    const slow = vi.spyOn(dataSource, 'runMigrations').mockImplementationOnce(async () => {
      for (let polls = 0; polls < 5; polls++) {
        await sleep(LEASE_MS / 2);
        const [row] = await dataSource.query<{ expires: string }[]>('SELECT expires FROM migration_lease');
        expect(Number(row?.expires)).toBeGreaterThan(Date.now());
      }
      return [];
    });
    await migrateDatabase(dataSource, { leaseMs: LEASE_MS });
    expect(slow).toHaveBeenCalledTimes(1);
    expect(await dataSource.query('SELECT expires FROM migration_lease')).toEqual([{ expires: 0 }]);
  });

  itOnServer('stops migrating and waits when another process has taken over', async () => {
    const [slow, quick] = [await open(), await open()];
    const lines: string[] = [];
    const queryRunner = slow.createQueryRunner();
    const { query } = queryRunner;
    let left = 10;
    vi.spyOn(slow, 'createQueryRunner').mockReturnValue(queryRunner);
    vi.spyOn(queryRunner, 'release').mockResolvedValue();
    vi.spyOn(queryRunner, 'query').mockImplementation(async (sql: string, ...rest: unknown[]) => {
      if (sql.startsWith('CREATE TABLE') && --left === 0) {
        await quick.query('UPDATE migration_lease SET expires = 0');
        await migrateDatabase(quick);
      }
      return (await query.call(queryRunner, sql, ...(rest as []))) as unknown;
    });
    await migrateDatabase(slow, { log: (line) => lines.push(line) });
    expect(lines).toEqual([expect.stringContaining('Another process has taken over the migration')]);
    expect(await applied(quick)).toBe(migrations.length);
    vi.restoreAllMocks();
    await queryRunner.release();
  });

  itOnServer('fails with the first error when the lease cannot be released either', async () => {
    const dataSource = await open();
    const lines: string[] = [];
    const run = vi.spyOn(dataSource, 'runMigrations').mockImplementationOnce(async () => {
      await dataSource.query('DROP TABLE migration_lease');
      throw new Error('the migration failed');
    });
    await expect(migrateDatabase(dataSource, { log: (line) => lines.push(line) })).rejects.toThrow(
      'the migration failed',
    );
    expect(lines).toEqual([expect.stringContaining('could not be released')]);
    run.mockRestore();
  });

  it('migrates on the next call after a failure', async () => {
    const dataSource = await open();
    const run = vi.spyOn(dataSource, 'runMigrations').mockRejectedValueOnce(new Error('failed'));
    await expect(migrateDatabase(dataSource)).rejects.toThrow('failed');
    run.mockRestore();
    await migrateDatabase(dataSource);
    expect(await isMigrated(dataSource)).toBe(true);
  });
});
