import { type DataSource } from 'typeorm';
import { createDataSource } from '../../src/database/connections/data-source';
import { isMigrated, migrateDatabase } from '../../src/database/migrating/migrate';
import { migrations } from '../../src/database/migrations';
import { Child } from '../support/child';
import { createLastingTestDatabase, type LastingTestDatabase } from '../support/database';
import { killAt, KilledError, migrationStatements } from '../support/migration-breaks';
import { openSqlite } from '../support/sqlite';
import { isEmbedded } from '../support/engines';
import { isTried, isWhole } from '../support/thoroughness';

/** Number of times that a real process is killed. */
const KILLS = 3;
/** Number of migrations at each statement of which a process dies, and of statements of others for each one that is tried. */
const [NEWEST, STRIDE] = [5, 10];
const TIMEOUT_MS = 300_000;

describe('a killed migration', () => {
  let undisturbed: LastingTestDatabase;
  let database: LastingTestDatabase;

  beforeEach(async () => {
    [undisturbed, database] = [await createLastingTestDatabase(), await createLastingTestDatabase()];
  });

  afterEach(async () => {
    await undisturbed.drop();
    await database.drop();
  });

  const open = async ({ url }: LastingTestDatabase): Promise<DataSource> => {
    // Not claimed, because the file is reopened for each step here.
    if (isEmbedded) return openSqlite(url.slice('sqlite:'.length), { migrations });
    return createDataSource({ DATABASE_URL: url, DATABASE_POOL_SIZE: 2 }, []).initialize();
  };

  const using = async <T>(
    where: LastingTestDatabase,
    work: (dataSource: DataSource) => Promise<T>,
  ): Promise<T> => {
    const dataSource = await open(where);
    try {
      return await work(dataSource);
    } finally {
      await dataSource.destroy();
    }
  };

  /** Returns the full contents: each table's definition and rows. */
  const contents = (where: LastingTestDatabase): Promise<Record<string, unknown>> =>
    using(where, async (dataSource) => {
      const names = isEmbedded
        ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        : "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name NOT LIKE 'migration\\_%'";
      const tables = await dataSource.query<{ name: string }[]>(names);
      const all: Record<string, unknown> = {};
      for (const { name } of tables) {
        const definition = isEmbedded
          ? await dataSource.query('SELECT sql FROM sqlite_master WHERE tbl_name = ? ORDER BY name', [name])
          : JSON.stringify(await dataSource.query(`SHOW CREATE TABLE \`${name}\``)).replace(
              / AUTO_INCREMENT=\d+/,
              '',
            );
        const rows =
          name === 'migrations'
            ? await dataSource.query('SELECT name FROM migrations ORDER BY id')
            : await dataSource.query(`SELECT * FROM \`${name}\``);
        all[name] = { definition, rows };
      }
      return all;
    });

  /** Rows of the first schema that later migrations affect. */
  const SEED = [
    "INSERT INTO `user` (id, user_id, name, role_type, lang, mail_address, last_login_time, created, vendor_id, vendor_name, vendor_unique_id) VALUES (7, 'u', 'U', 1, 'en', 'u@example.com', 1, 1, 1, 'v', 'v1')",
    "INSERT INTO project (id, project_key, name, created) VALUES (3, 'P', 'Project', 1)",
    'INSERT INTO comment_thread (id, project_id) VALUES (5, 3)',
    "INSERT INTO wiki (id, project_id, name, content, version, created_user_id, created) VALUES (9, 3, 'Home', 'text', 4, 7, 1), (11, 3, 'Other', 'text', 1, 7, 1)",
    "INSERT INTO git_repository (id, project_id, name, description, created) VALUES (2, 3, 'repo', '', 1)",
  ];

  /** Migrates in a process that dies at a statement, or in one that survives. @returns whether it finished */
  const migrate = (
    where: LastingTestDatabase,
    death?: { at: number; when: 'before' | 'after' },
  ): Promise<boolean> =>
    using(where, async (dataSource) => {
      if (death) killAt(dataSource, death.at, death.when);
      try {
        await migrateDatabase(dataSource);
        return true;
      } catch (error) {
        if (!(error instanceof KilledError)) throw error;
        return false;
      }
    });

  const firstStatements = (): number => migrationStatements(isEmbedded, migrations.slice(0, 1)).length;

  /** Fills the first schema once it exists. */
  const seed = (where: LastingTestDatabase): Promise<void> =>
    using(where, async (dataSource) => {
      for (const statement of SEED) await dataSource.query(statement);
    });

  const freeLease = (where: LastingTestDatabase): Promise<unknown> =>
    isEmbedded
      ? Promise.resolve()
      : using(where, (dataSource) => dataSource.query('UPDATE migration_lease SET expires = 0'));

  /**
   * A migration of the embedded database is one transaction, which starts again after each death: the process dies in the middle of
   * it and at its end, and the next one at its beginning.
   */
  const killEmbedded = async (): Promise<void> => {
    for (const [index, migration] of migrations.entries()) {
      const count = migrationStatements(true, [migration]).length;
      const deaths = new Set([Math.floor(count / 2), count - 1, count]);
      for (const at of deaths) {
        const isThrough = await migrate(database, { at, when: 'before' });
        expect(isThrough).toBe(index === migrations.length - 1 && at === count);
      }
      if (index === 0) await seed(database);
    }
  };

  /**
   * On a server, each process continues where the last one died, at a statement that may or may not have run. Few die at older
   * migrations, except in a run that does everything.
   */
  const killServed = async (): Promise<void> => {
    const first = firstStatements();
    const firstOfNewest = migrationStatements(false, migrations.slice(0, -NEWEST)).length;
    let previous = 0;
    for (const [index] of migrationStatements(false).entries()) {
      const isLeftOut = !isWhole && index < firstOfNewest && Math.floor(index / 3) % STRIDE > 0;
      if (index !== first && (isLeftOut || !isTried(index))) continue;
      // The process also repeats the statement after which the last one died.
      expect(await migrate(database, { at: index - previous, when: 'before' })).toBe(false);
      await freeLease(database);
      if (index === first) await seed(database);
      expect(await migrate(database, { at: 0, when: 'after' })).toBe(false);
      await freeLease(database);
      previous = index;
    }
    expect(await migrate(database)).toBe(true);
  };

  it(
    'resumes from any statement with the result of an undisturbed run',
    async () => {
      await migrate(undisturbed, { at: firstStatements(), when: 'before' });
      await freeLease(undisturbed);
      await seed(undisturbed);
      await migrate(undisturbed);

      const print = vi.spyOn(console, 'log').mockImplementation(() => undefined);
      await (isEmbedded ? killEmbedded() : killServed());
      print.mockRestore();
      expect(await using(database, isMigrated)).toBe(true);
      expect(await contents(database)).toEqual(await contents(undisturbed));
    },
    TIMEOUT_MS,
  );

  it(
    'resumes after kills of its process once the lease has expired',
    async () => {
      for (let kill = 0; kill < KILLS; kill++) {
        const child = new Child('migrate-database', database.url, String(20 * kill + 10));
        expect(await child.nextLine()).toBe('ready');
        child.go();
        await child.nextLine();
        await child.kill();
        await freeLease(database);
      }
      await migrate(database);
      await migrate(undisturbed);
      expect(await contents(database)).toEqual(await contents(undisturbed));
    },
    TIMEOUT_MS,
  );
});
