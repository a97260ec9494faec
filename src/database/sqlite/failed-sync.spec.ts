import fs from 'node:fs';
import { Logger } from '@nestjs/common';
import { type DataSource } from 'typeorm';
import { TemporaryFolder } from '../../../test/support/sqlite';
import { createDataSource } from '../connections/data-source';
import { LogSyncError } from './log-sync';
import { renewGeneration } from './sqlite-connections';

describe('the embedded database after a failed sync', () => {
  let folder: TemporaryFolder;
  let file: string;
  let dataSource: DataSource;

  beforeEach(async () => {
    folder = new TemporaryFolder();
    file = folder.file('service.db');
    vi.spyOn(Logger.prototype, 'fatal').mockReturnValue();
    dataSource = await open();
    await dataSource.query('CREATE TABLE item (id INTEGER PRIMARY KEY)');
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    if (dataSource.isInitialized) await dataSource.destroy();
    folder.remove();
  });

  async function open(path = file): Promise<DataSource> {
    return createDataSource({ DATABASE_URL: `sqlite:${path}`, DATABASE_POOL_SIZE: 1 }, []).initialize();
  }

  const insert = (id: number): Promise<unknown> => dataSource.query('INSERT INTO item (id) VALUES (?)', [id]);

  const ids = async (): Promise<number[]> =>
    (await dataSource.query<{ id: number }[]>('SELECT id FROM item ORDER BY id')).map(({ id }) => id);

  /** Makes the syncs of one file fail: that of the log or, while it is copied, the second one. */
  function failSyncsOf(path: string): void {
    const { fdatasync } = fs;
    const { ino } = fs.statSync(path);
    vi.spyOn(fs, 'fdatasync').mockImplementation((descriptor, done) => {
      if (fs.fstatSync(descriptor).ino === ino) setImmediate(done, new Error('EIO'));
      else fdatasync(descriptor, done);
    });
  }

  it.each([
    ['the log', () => `${file}-wal`, () => insert(2)],
    ['the file', () => file, () => renewGeneration(dataSource)],
  ])(
    'keeps the log when it is closed, and has every commit at the next start: %s',
    async (_what, path, write) => {
      await insert(1);
      failSyncsOf(path());
      await write().catch((error: unknown) => expect(error).toBeInstanceOf(LogSyncError));
      await expect(insert(3)).rejects.toBeInstanceOf(LogSyncError);
      const log = fs.readFileSync(`${file}-wal`);
      expect(log.length).toBeGreaterThan(0);
      await dataSource.destroy();
      expect(fs.readFileSync(`${file}-wal`).equals(log)).toBe(true);

      vi.mocked(fs.fdatasync).mockRestore();
      dataSource = await open();
      expect(await ids()).toContain(1);
      expect(await ids()).not.toContain(3);
      await insert(4);
      await dataSource.destroy();
      expect(fs.existsSync(`${file}-wal`)).toBe(false);
    },
  );

  it('syncs the log of a file that is opened through a symbolic link', async () => {
    await dataSource.destroy();
    const link = folder.file('link.db');
    fs.symlinkSync(file, link);
    dataSource = await open(link);
    const syncs = vi.spyOn(fs, 'fdatasync');
    const { ino } = fs.statSync(`${file}-wal`);
    const synced: number[] = [];
    syncs.mockImplementation((descriptor, done) => {
      synced.push(fs.fstatSync(descriptor).ino);
      setImmediate(done, null);
    });
    await insert(1);
    expect(synced).toEqual([ino]);
  });
});
