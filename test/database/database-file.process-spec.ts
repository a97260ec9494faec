import {
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { explainStartFailure } from '../../src/start-failure';
import { SqliteDatabase } from '../../src/database/sqlite/node-sqlite';
import { renewGeneration } from '../../src/database/sqlite/sqlite-connections';
import { FirstStartService } from '../../src/first-start/first-start.service';
import { useApplications } from '../support/applications';
import { Child } from '../support/child';
import { TemporaryFolder } from '../support/sqlite';
import { World } from '../support/world';
import { describeOnEmbedded } from '../support/engines';

const PAGE_SIZE = 4096;
const NEWER = "INSERT INTO migrations (timestamp, name) VALUES (1, 'FromTheFuture1900000000000')";

/** Returns the number of users in a file alone, without the files next to it. */
function usersIn(file: string): number {
  const folder = new TemporaryFolder();
  copyFileSync(file, folder.file('copy.db'));
  const database = new SqliteDatabase(folder.file('copy.db'));
  const [row] = database.prepare('SELECT COUNT(*) AS users FROM user').all();
  database.close();
  folder.remove();
  return Number(row?.users);
}

/** Overwrites the first page of a table. */
function damage(file: string, table: string): void {
  const database = new SqliteDatabase(file, { readonly: true });
  const [row] = database.prepare('SELECT rootpage FROM sqlite_master WHERE name = ?').all(table);
  database.close();
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(PAGE_SIZE, 0xa5), 0, PAGE_SIZE, (Number(row?.rootpage) - 1) * PAGE_SIZE);
  closeSync(descriptor);
}

describeOnEmbedded('the embedded database', () => {
  let folder: TemporaryFolder;
  let file: string;

  beforeEach(() => {
    folder = new TemporaryFolder();
    file = folder.file('service.db');
  });

  afterEach(() => folder.remove());

  const start = (): Promise<World> => World.start({ DATABASE_URL: `sqlite:${file}` });
  const startChild = (): Child => new Child('serve', `sqlite:${file}`, '{}');
  const files = (): string[] => readdirSync(folder.path).toSorted();

  const refusal = async (): Promise<string[]> => {
    try {
      await (await start()).stop();
      return [];
    } catch (error) {
      return explainStartFailure(error);
    }
  };

  /** Opens the file while the service runs. */
  const beside = (use: (database: SqliteDatabase) => unknown): void => {
    const database = new SqliteDatabase(file);
    use(database);
    database.close();
  };

  /** Leaves the files as after a kill of a process that has written. */
  const crash = async (): Promise<void> => {
    const world = await start();
    await world.dataSource.query("UPDATE user SET name = 'Somebody'");
    const left = files().map((name) => ({ name, bytes: readFileSync(folder.file(name)) }));
    await world.stop();
    for (const { name, bytes } of left) writeFileSync(folder.file(name), bytes);
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
  };

  it('keeps all data in service.db alone after the application closes', async () => {
    const world = await start();
    await world.addUser();
    expect((await world.admin.api.get('/users')).status).toBe(200);
    expect(files()).toContain('service.db-wal');
    await world.stop();
    expect(files()).toEqual(['service.db', 'service.db.lock']);
    expect(usersIn(file)).toBe(2);
  });

  it('keeps all data in service.db alone after its process stops', async () => {
    const child = startChild();
    expect(await child.nextLine()).toBe('ready');
    child.go();
    expect(await child.restOfLines()).toEqual([]);
    expect(files()).toEqual(['service.db', 'service.db.lock']);
    expect(usersIn(file)).toBe(1);
  });

  it('creates its file and its WAL with mode 600', async () => {
    const world = await start();
    const modes = [file, `${file}-wal`].map((path) => statSync(path).mode & 0o777);
    await world.stop();
    expect(modes).toEqual([0o600, 0o600]);
  });

  it('leaves no WAL file after a failed start', async () => {
    await (await start()).stop();
    beside((database) => database.exec(NEWER));
    expect(await refusal()).toEqual([expect.stringMatching(/newer version.*FromTheFuture1900000000000/)]);
    expect(files()).toEqual(['service.db', 'service.db.lock']);
  });

  it('keeps committed data after a crash', async () => {
    await crash();
    const world = await start();
    expect(await world.dataSource.query('SELECT name FROM user')).toEqual([{ name: 'Somebody' }]);
    await world.stop();
  });

  it('refuses to start with an older copy beside the WAL of a later run', async () => {
    await (await start()).stop();
    copyFileSync(file, folder.file('backup.db'));
    await crash();
    copyFileSync(folder.file('backup.db'), file);
    const before = ['', '-wal'].map((suffix) => readFileSync(file + suffix));
    expect(await refusal()).toEqual([
      expect.stringMatching(/service\.db is not the file that .*service\.db-wal belongs to: .* move /),
    ]);
    // The files are unchanged, so that either state can still be recovered.
    expect(['', '-wal'].map((suffix) => readFileSync(file + suffix))).toEqual(before);
    rmSync(`${file}-wal`);
    rmSync(`${file}-shm`);
    expect(await refusal()).toEqual([]);
    expect(usersIn(file)).toBe(1);
  });

  it('refuses to start with a copy from earlier in the same run', async () => {
    const world = await start();
    copyFileSync(file, folder.file('backup.db'));
    await world.dataSource.query("UPDATE user SET name = 'Somebody'");
    await renewGeneration(world.dataSource);
    await world.dataSource.query("UPDATE user SET name = 'Somebody else'");
    const left = files().map((name) => ({ name, bytes: readFileSync(folder.file(name)) }));
    await world.stop();
    for (const { name, bytes } of left) writeFileSync(folder.file(name), bytes);
    copyFileSync(folder.file('backup.db'), file);
    expect(await refusal()).toEqual([
      expect.stringMatching(/is not the file that .*service\.db-wal belongs to/),
    ]);
  });

  it('refuses to start with an older copy and its lock file beside a later WAL', async () => {
    await (await start()).stop();
    for (const suffix of ['', '.lock']) copyFileSync(file + suffix, folder.file(`backup.db${suffix}`));
    await crash();
    for (const suffix of ['', '.lock']) copyFileSync(folder.file(`backup.db${suffix}`), file + suffix);
    rmSync(`${file}.lock-journal`, { force: true });
    for (let attempt = 1; attempt <= 2; attempt++) {
      expect(await refusal()).toEqual([
        expect.stringMatching(/is not the file that .*service\.db-wal belongs to/),
      ]);
    }
    rmSync(`${file}-wal`);
    rmSync(`${file}-shm`);
    expect(await refusal()).toEqual([]);
  });

  it('refuses to create a new file beside the WAL of a missing one', async () => {
    await crash();
    rmSync(file);
    expect(await refusal()).toEqual([expect.stringMatching(/service\.db is missing .*service\.db-wal/)]);
    expect(files()).not.toContain('service.db');
  });

  it('checks its file at a start only after a change or a crash', async () => {
    await (await start()).stop();
    const pragma = vi.spyOn(SqliteDatabase.prototype, 'pragma');
    const checks = async (): Promise<number> => {
      pragma.mockClear();
      await (await start()).stop();
      return pragma.mock.calls.filter(([source]) => source.startsWith('quick_check')).length;
    };
    expect(await checks()).toBe(0);
    const now = new Date();
    utimesSync(file, now, now);
    expect([await checks(), await checks()]).toEqual([1, 0]);
    await crash();
    expect(await checks()).toBe(1);
    pragma.mockRestore();
  });

  it('refuses to start with a damaged file', async () => {
    await (await start()).stop();
    damage(file, 'comment');
    expect(await refusal()).toEqual([
      expect.stringMatching(/service\.db is damaged \(.*\): move it, .* restore a backup/),
    ]);
  });

  it('refuses to start with a file that is no database', async () => {
    copyFileSync(__filename, file);
    expect(await refusal()).toEqual([expect.stringMatching(/service\.db is damaged \(.*not a database\)/)]);
  });

  it('makes the process not ready and logs once when a statement finds damage', async () => {
    const world = await start();
    const project = await world.addProject();
    const ready = (): Promise<Response> => fetch(`${new URL(world.server.baseUrl).origin}/health/ready`);
    expect((await ready()).status).toBe(200);
    beside((database) => database.pragma('wal_checkpoint(TRUNCATE)'));
    damage(file, 'issue');
    // A change makes the process read the file again instead of its cache.
    await world.addUser();
    const fatal = vi.spyOn(Logger.prototype, 'fatal').mockImplementation(() => undefined);
    for (let times = 0; times < 2; times++) {
      expect((await world.admin.api.get(`/issues/${project.issueKey}`)).status).toBe(503);
    }
    expect(fatal.mock.calls).toEqual([
      [{ err: expect.objectContaining({ code: 'SQLITE_CORRUPT' }) }, expect.stringContaining('is damaged')],
    ]);
    fatal.mockRestore();
    expect((await ready()).status).toBe(503);
    expect((await world.anonymous.get('/users')).status).toBe(401);
    await world.stop();
  });

  it('admits only one of two processes that start simultaneously on a new file', async () => {
    const children = [startChild(), startChild()];
    const lines = await Promise.all(children.map((child) => child.nextLine()));
    const inUse = expect.stringMatching(/service\.db is in use by another process: stop that one first/);
    expect(lines.toSorted((a) => (a === 'ready' ? -1 : 1))).toEqual(['ready', inUse]);
    expect(await refusal()).toEqual([inUse]);
    const reader = new SqliteDatabase(file, { readonly: true });
    expect(reader.prepare('SELECT COUNT(*) AS users FROM user').all()).toEqual([{ users: 1 }]);
    reader.close();
    for (const child of children) await child.kill();
    // The kernel has released the lock.
    expect(await refusal()).toEqual([]);
  });
});

describe('a start on a database that a newer version has migrated', () => {
  const applications = useApplications();

  it('fails with a one-line message that names the migration', async () => {
    const app = await applications.create();
    await app.get(FirstStartService).run();
    await app.get(DataSource).query(NEWER);
    await applications.close();
    const failure = await applications.create().catch(explainStartFailure);
    expect(failure).toEqual([
      expect.stringMatching(/newer version.*FromTheFuture1900000000000.*: start that version/),
    ]);
  });
});
