import { Logger } from '@nestjs/common';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { TemporaryFolder } from '../../../test/support/sqlite';
import { createDataSource } from '../connections/data-source';
import { SqliteDatabase } from './node-sqlite';
import { renewGeneration } from './sqlite-connections';

const LOCKS = '/proc/locks';

/** Returns the locks of this process on a file, as the kernel lists them. */
const locksOn = (file: string): string[] =>
  readFileSync(LOCKS, 'utf8')
    .split('\n')
    .filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${statSync(file).ino} `))
    .map((line) => line.replace(/^\d+: /, ''));

describe('the file of the embedded database', () => {
  // Without the lock, SQLite's own command line removes the write-ahead log of the running service when it ends.
  it.runIf(existsSync(LOCKS))('keeps its lock when its generation is renewed', async () => {
    const folder = new TemporaryFolder();
    const file = folder.file('service.db');
    const dataSource = createDataSource({ DATABASE_URL: `sqlite:${file}`, DATABASE_POOL_SIZE: 1 }, []);
    await dataSource.initialize();
    await dataSource.query('CREATE TABLE item (id INTEGER PRIMARY KEY)');
    const locks = locksOn(file);
    expect(locks).toHaveLength(1);
    await renewGeneration(dataSource);
    expect(locksOn(file)).toEqual(locks);
    await dataSource.destroy();
    expect(locksOn(file)).toEqual([]);
    folder.remove();
  });

  it('is checked at the next start after it was found damaged', async () => {
    const folder = new TemporaryFolder();
    const DATABASE_URL = `sqlite:${folder.file('service.db')}`;
    const open = () => createDataSource({ DATABASE_URL, DATABASE_POOL_SIZE: 1 }, []).initialize();
    const pragma = vi.spyOn(SqliteDatabase.prototype, 'pragma');
    const fatal = vi.spyOn(Logger.prototype, 'fatal').mockImplementation(() => undefined);
    await (await open()).destroy();
    const dataSource = await open();
    const damage = Object.assign(new Error('malformed'), { code: 'SQLITE_CORRUPT' });
    dataSource.logger.logQueryError(damage, 'SELECT 1');
    await dataSource.destroy();
    const checks = () => pragma.mock.calls.filter(([source]) => source.startsWith('quick_check')).length;
    expect(checks()).toBe(0);
    await (await open()).destroy();
    expect(checks()).toBe(1);
    await (await open()).destroy();
    expect(checks()).toBe(1);
    fatal.mockRestore();
    pragma.mockRestore();
    folder.remove();
  });
});
