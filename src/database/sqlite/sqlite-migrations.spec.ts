import { type DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { openSqlite, TemporaryFolder } from '../../../test/support/sqlite';

const foreignKeysMet: unknown[] = [];

class First1700000000001 implements MigrationInterface {
  readonly name = 'First1700000000001';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE TABLE parent (id INTEGER PRIMARY KEY)');
    await queryRunner.query('CREATE TABLE child (parent_id INTEGER NOT NULL REFERENCES parent (id))');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE child');
    await queryRunner.query('DROP TABLE parent');
  }
}

/** Replaces a table that another references, which foreign keys would forbid. */
class Second1700000000002 implements MigrationInterface {
  readonly name = 'Second1700000000002';

  async up(queryRunner: QueryRunner): Promise<void> {
    foreignKeysMet.push(await queryRunner.query('PRAGMA foreign_keys'));
    await queryRunner.query('INSERT INTO parent (id) VALUES (1)');
    await queryRunner.query('INSERT INTO child (parent_id) VALUES (1)');
    await queryRunner.query('CREATE TABLE new_parent (id INTEGER PRIMARY KEY, name TEXT)');
    await queryRunner.query('INSERT INTO new_parent (id) SELECT id FROM parent');
    await queryRunner.query('DROP TABLE parent');
    await queryRunner.query('ALTER TABLE new_parent RENAME TO parent');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE parent DROP COLUMN name');
  }
}

class Failing1700000000003 implements MigrationInterface {
  readonly name = 'Failing1700000000003';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE TABLE half_made (id INTEGER PRIMARY KEY)');
    throw new Error('migration failed');
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

describe('a migration of the embedded database', () => {
  let folder: TemporaryFolder;
  let dataSource: DataSource;

  const open = async (...migrations: (new () => MigrationInterface)[]): Promise<void> => {
    dataSource = await openSqlite(folder.file('test.db'), { migrations, busyTimeout: 200 });
  };

  const insertOrphan = (): Promise<unknown> => dataSource.query('INSERT INTO child (parent_id) VALUES (999)');

  beforeEach(() => {
    folder = new TemporaryFolder();
    foreignKeysMet.length = 0;
  });

  afterEach(async () => {
    await dataSource.destroy();
    folder.remove();
  });

  it('runs with foreign keys off, so that it can replace a referenced table', async () => {
    await open(First1700000000001, Second1700000000002);
    await dataSource.runMigrations();
    expect(foreignKeysMet).toEqual([[{ foreign_keys: 0 }]]);
    expect(await dataSource.query('SELECT parent_id FROM child')).toEqual([{ parent_id: 1 }]);
  });

  it('leaves foreign keys on', async () => {
    await open(First1700000000001, Second1700000000002);
    await dataSource.runMigrations();
    await expect(insertOrphan()).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_FOREIGNKEY' });
  });

  it('rolls back, releases the writer and leaves foreign keys on when it fails', async () => {
    await open(First1700000000001, Failing1700000000003);
    // TypeORM prints which migration failed.
    const print = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    await expect(dataSource.runMigrations()).rejects.toThrow('migration failed');
    print.mockRestore();
    await expect(insertOrphan()).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_FOREIGNKEY' });
    const applied = await dataSource.query<{ name: string }[]>('SELECT name FROM migrations');
    expect(applied).toEqual([{ name: 'First1700000000001' }]);
    const left = "SELECT name FROM sqlite_master WHERE name = 'half_made'";
    expect(await dataSource.query(left)).toEqual([]);
  });

  it('delays other writes until it has finished', async () => {
    await open(First1700000000001, Second1700000000002);
    const migrating = dataSource.runMigrations();
    const held = dataSource.transaction((manager) => manager.query('CREATE TABLE other (id INTEGER)'));
    await Promise.all([migrating, held]);
    expect(foreignKeysMet).toEqual([[{ foreign_keys: 0 }]]);
  });

  it('reverts step by step and runs again', async () => {
    await open(First1700000000001, Second1700000000002);
    await dataSource.runMigrations();
    await dataSource.undoLastMigration();
    await dataSource.undoLastMigration();
    expect(await dataSource.query('SELECT name FROM migrations')).toEqual([]);
    await dataSource.runMigrations();
    await expect(insertOrphan()).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_FOREIGNKEY' });
  });
});
