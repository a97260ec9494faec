import { randomBytes, randomInt } from 'node:crypto';
import fs from 'node:fs';
import { type DataSource } from 'typeorm';
import { TemporaryFolder } from '../../../test/support/sqlite';
import { isThorough } from '../../../test/support/thoroughness';
import { createDataSource } from '../connections/data-source';
import { SqliteDatabase } from './node-sqlite';
import { SharedCommits } from './shared-commits';

const WRITES = isThorough ? 10_000 : 1500;
const WRITERS = 16;
/** Writes between two losses of power, on average. */
const BETWEEN_LOSSES = WRITES / 25;
/** Transactions per failing one, on average. */
const BETWEEN_FAILURES = 8;
/** Syncs between two losses of power during one, on average. */
const SYNCS_BETWEEN_LOSSES = 40;
const SECTOR = 512;
/** Size of the header of a log, which SQLite syncs itself before it overwrites the frames of the log before. */
const HEADER = 32;

type Done = (error: null) => void;

/** A disk that has, of each file, what it contained when its last completed sync began. */
class Disk {
  private readonly synced = new Map<number, Buffer>();

  /** @param duringSync called when a sync has written everything, but nobody knows yet */
  constructor(
    private readonly file: string,
    private readonly duringSync: () => void,
  ) {
    for (const path of this.paths) this.synced.set(fs.statSync(path).ino, fs.readFileSync(path));
    vi.spyOn(fs, 'fdatasync').mockImplementation((descriptor, done) => {
      const { ino, size } = fs.fstatSync(descriptor);
      const content = Buffer.alloc(size);
      fs.readSync(descriptor, content, 0, size, 0);
      setTimeout(() => {
        this.duringSync();
        this.synced.set(ino, content);
        (done as Done)(null);
      }, randomInt(3));
    });
  }

  /** Writes what a loss of power may leave: of each sector, what has been synced or anything written since. */
  losePower(into: string): void {
    for (const path of this.paths) {
      const { ino } = fs.statSync(path);
      const written = fs.readFileSync(path);
      const left = mixed(this.synced.get(ino) as Buffer, written);
      if (path.endsWith('-wal')) written.copy(left, 0, 0, Math.min(HEADER, written.length));
      fs.writeFileSync(path.replace(this.file, into), left);
    }
  }

  private get paths(): string[] {
    return [this.file, `${this.file}-wal`];
  }
}

/** Returns the sectors of one or of the other content, at random. */
function mixed(synced: Buffer, written: Buffer): Buffer {
  const left = Buffer.alloc(Math.max(synced.length, written.length));
  for (let at = 0; at < left.length; at += SECTOR) {
    const from = randomInt(2) === 0 ? synced : written;
    from.subarray(at, at + SECTOR).copy(left, at);
  }
  return left.subarray(0, randomInt(2) === 0 ? Math.max(synced.length, SECTOR) : left.length);
}

describe('the embedded database after a loss of power', () => {
  const folder = new TemporaryFolder();
  const file = folder.file('service.db');
  let dataSource: DataSource;
  let disk: Disk;
  const acknowledged: number[] = [];
  const failed: number[] = [];
  let losses = 0;
  /** The first failure of a check during a sync. */
  let problem: unknown;

  beforeAll(async () => {
    dataSource = createDataSource({ DATABASE_URL: `sqlite:${file}`, DATABASE_POOL_SIZE: 1 }, []);
    await dataSource.initialize();
    await dataSource.query('CREATE TABLE item (number INTEGER PRIMARY KEY, content BLOB NOT NULL)');
    await dataSource.query('CREATE TABLE part (number INTEGER PRIMARY KEY)');
    disk = new Disk(file, () => {
      if (randomInt(SYNCS_BETWEEN_LOSSES) !== 0) return;
      try {
        check();
      } catch (error) {
        problem ??= error;
      }
    });
  });

  afterAll(async () => {
    vi.restoreAllMocks();
    await dataSource.destroy();
    folder.remove();
  });

  async function write(number: number): Promise<void> {
    const content = randomBytes(randomInt(1, 3000));
    const fails = randomInt(BETWEEN_FAILURES) === 0;
    const transaction = dataSource.transaction(async (manager) => {
      await manager.query('INSERT INTO item (number, content) VALUES (?, ?)', [number, content]);
      await manager.query('INSERT INTO part (number) VALUES (?)', [number]);
      if (fails) throw new Error('no');
    });
    if (fails) {
      failed.push(number);
      await expect(transaction).rejects.toThrow('no');
    } else {
      await transaction;
      acknowledged.push(number);
    }
  }

  /** Checks what is left of the database if the power fails now. */
  function check(): void {
    // Another file each time: a closed connection stays open until its statements are garbage-collected.
    const into = folder.file(`left-${++losses}.db`);
    const expected = [...acknowledged];
    disk.losePower(into);
    const left = new SqliteDatabase(into);
    const numbers = (table: string): Set<number> =>
      new Set(
        left
          .prepare(`SELECT number FROM ${table}`)
          .all()
          .map(({ number }) => Number(number)),
      );
    const items = numbers('item');
    expect(expected.filter((number) => !items.has(number))).toEqual([]);
    expect(failed.filter((number) => items.has(number))).toEqual([]);
    expect(numbers('part')).toEqual(items);
    expect(left.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    left.close();
  }

  it('has every acknowledged row, none of a failed transaction, no partial one, and its integrity', async () => {
    const commits = vi.spyOn(SharedCommits.prototype, 'add');
    let next = 1;
    const writer = async (): Promise<void> => {
      while (next <= WRITES) {
        await write(next++);
        if (randomInt(BETWEEN_LOSSES) === 0) check();
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, writer));
    check();
    expect(problem).toBeUndefined();
    expect(acknowledged).toHaveLength(WRITES - failed.length);
    // Nearly every transaction ends during a sync.
    expect(commits.mock.calls.length).toBeGreaterThan(WRITES / 2);
  });
});
