import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type DataSource } from 'typeorm';
import { TemporaryFolder } from '../../../test/support/sqlite';
import { createDataSource } from '../connections/data-source';
import { LOG_SIZE } from './checkpoints';
import { SqliteDatabase } from './node-sqlite';

const ROW_SIZE = 64 * 1024;
/** Rows that fill a log. */
const ROWS = LOG_SIZE / ROW_SIZE;
/** Size up to which a log may grow while others read it for moments only. */
const LARGE = 10 * LOG_SIZE;

describe('Checkpoints', () => {
  const folder = new TemporaryFolder();
  const file = folder.file('service.db');
  let dataSource: DataSource;

  beforeAll(async () => {
    dataSource = createDataSource({ DATABASE_URL: `sqlite:${file}`, DATABASE_POOL_SIZE: 1 }, []);
    await dataSource.initialize();
    await dataSource.query('CREATE TABLE item (id INTEGER PRIMARY KEY, content BLOB NOT NULL)');
  });

  afterEach(() => void vi.restoreAllMocks());

  afterAll(async () => {
    await dataSource.destroy();
    folder.remove();
  });

  const logSize = (): number => fs.statSync(`${file}-wal`).size;

  async function write(rows: number, written?: () => void): Promise<void> {
    for (let row = 0; row < rows; row++) {
      await dataSource.query('INSERT INTO item (content) VALUES (?)', [randomBytes(ROW_SIZE)]);
      written?.();
    }
  }

  /** Reads the current state until `end` is called. */
  function read(): () => void {
    const reader = new SqliteDatabase(file, { readonly: true });
    reader.exec('BEGIN; SELECT COUNT(*) FROM item');
    return () => reader.close();
  }

  it('keeps the log small while rows are written', async () => {
    let largest = 0;
    await write(6 * ROWS, () => (largest = Math.max(largest, logSize())));
    expect(largest).toBeGreaterThan(LOG_SIZE / 2);
    expect(largest).toBeLessThan(1.5 * LOG_SIZE);
  });

  it('copies the log after 250 short transactions', async () => {
    const syncs = vi.spyOn(fs, 'fdatasync');
    for (let row = 0; row < 600; row++) {
      await dataSource.query("INSERT INTO item (content) VALUES (x'00')");
    }
    const [log, ...later] = syncs.mock.calls.map(([descriptor]) => descriptor);
    expect(later.filter((descriptor) => descriptor !== log)).toHaveLength(2);
  });

  it('shortens the log after somebody has read an earlier state for long', async () => {
    const end = read();
    await write(4 * ROWS);
    expect(logSize()).toBeGreaterThan(4 * LOG_SIZE);
    end();
    await write(2 * ROWS);
    expect(logSize()).toBeLessThan(2 * LOG_SIZE);
  });

  it('lets the log begin anew although somebody reads it at any time', async () => {
    let end = read();
    const written = new AbortController();
    const readers = (async () => {
      while (!written.signal.aborted) {
        // The next one begins before this one ends.
        const begun = read();
        for (let turn = 0; turn < 20; turn++) await nextTurn();
        end();
        end = begun;
      }
    })();
    let largest = 0;
    await write(14 * ROWS, () => (largest = Math.max(largest, logSize())));
    written.abort();
    await readers;
    end();
    expect(largest).toBeLessThan(LARGE);
  });
});
