import { existsSync, readFileSync, statSync } from 'node:fs';
import { TemporaryFolder } from '../../../test/support/sqlite';
import { createDataSource } from '../connections/data-source';
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
});
