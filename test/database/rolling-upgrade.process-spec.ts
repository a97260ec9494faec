import { setTimeout as sleep } from 'node:timers/promises';
import { type DataSource } from 'typeorm';
import { migrateDatabase } from '../../src/database/migrating/migrate';
import { migrations } from '../../src/database/migrations';
import { ApiClient } from '../support/api';
import { Child } from '../support/child';
import { createLastingTestDatabase, type LastingTestDatabase } from '../support/database';
import { describeOnServer } from '../support/engines';
import { CompatibleVersion1999000000001, NextVersion1999000000000, openAs } from '../support/next-version';
import { TemporaryFolder } from '../support/sqlite';
import { applyTemplate } from '../support/template';

const ADMIN_KEY = 'key-of-the-administrator-of-the-upgrade-0123456789';

interface LogLine {
  level: number;
  msg: string;
  address?: string;
}

/** A later version is this one with one more migration. */
describeOnServer('a process whose database is migrated by a newer version', () => {
  let database: LastingTestDatabase;
  let folder: TemporaryFolder;
  let older: Child;
  let newer: DataSource;
  let lines: LogLine[];

  beforeEach(async () => {
    database = await createLastingTestDatabase();
    await applyTemplate(database.url);
    folder = new TemporaryFolder();
    lines = [];
    older = new Child(
      'run-service',
      JSON.stringify({
        DATABASE_URL: database.url,
        STORAGE_URL: `file:${folder.file('files')}`,
        GIT_ROOT: folder.file('git'),
        ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
        ADMIN_API_KEY: ADMIN_KEY,
        DEMO_DATA: 'false',
        PORT: '0',
        LOG_FORMAT: 'json',
        // The expected lines are all that the process logs, however slow the machine is.
        LOG_SLOW_REQUEST: '0',
        // A fast machine sends more writes during a migration than a user may in a minute.
        RATE_LIMIT: 'off',
      }),
    );
  });

  afterEach(async () => {
    await newer.destroy();
    await older.kill();
    await database.drop();
    folder.remove();
  });

  const read = (line: string): LogLine | undefined => {
    try {
      const parsed = JSON.parse(line) as LogLine;
      lines.push(parsed);
      return parsed;
    } catch {
      return undefined;
    }
  };

  const listening = async (): Promise<ApiClient> => {
    for (let line = await older.nextLine(); line !== undefined; line = await older.nextLine()) {
      const parsed = read(line);
      if (parsed?.msg === 'Listening') return new ApiClient(`${parsed.address}/api/v2`, ADMIN_KEY);
    }
    throw new Error('The process has ended.');
  };

  it('shuts down before an incompatible migration, with one warning that names it', async () => {
    const api = await listening();
    expect((await api.post('/projects', { key: 'A', name: 'A' })).status).toBe(201);
    newer = await openAs(database.url, [...migrations, NextVersion1999000000000]);
    const migrating = migrateDatabase(newer);
    for (const line of await older.restOfLines()) read(line);
    expect(await older.outcome()).toEqual([1, null]);
    await migrating;
    const [warning, stopping, stopped, ...others] = lines.slice(
      lines.findIndex(({ msg }) => msg === 'Listening') + 1,
    );
    expect(warning).toMatchObject({
      level: 40,
      msg: 'A newer version migrates the database (NextVersion1999000000000), which this version cannot serve: start the newer version instead',
    });
    expect([stopping?.msg, stopped?.msg, others]).toEqual(['Stopping', 'Stopped', []]);
  });

  it('keeps serving beside a compatible migration', async () => {
    const api = await listening();
    newer = await openAs(database.url, [...migrations, CompatibleVersion1999000000001]);
    let isMigrating = true;
    const statuses: number[] = [];
    const write = async (): Promise<void> => {
      for (let key = 0; isMigrating || key < 3; key++) {
        statuses.push((await api.post('/projects', { key: `P${key}`, name: 'P' })).status);
      }
    };
    const writing = write();
    await migrateDatabase(newer);
    // More than the interval at which it looks.
    await sleep(1500);
    isMigrating = false;
    await writing;
    expect(new Set(statuses)).toEqual(new Set([201]));
    older.signal('SIGTERM');
    for (const line of await older.restOfLines()) read(line);
    expect(lines.filter(({ level }) => level >= 40)).toEqual([]);
  });
});
