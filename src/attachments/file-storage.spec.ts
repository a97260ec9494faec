import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { readEnvironment } from '../config/environment';
import { LocalFileStorage } from './file-storage';

describe(LocalFileStorage.name, () => {
  let folder: string;
  let storage: LocalFileStorage;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'file-storage-'));
    storage = new LocalFileStorage(
      readEnvironment({ DATABASE_URL: 'sqlite::memory:', STORAGE_URL: `file:${folder}` }),
    );
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('reads what was written', async () => {
    const key = storage.newKey();
    expect(await storage.write(key, Readable.from([Buffer.from('content')]))).toBe(7);
    expect(await text(await storage.read(key))).toBe('content');
  });

  it('says before the first byte that there is nothing', async () => {
    await expect(storage.read(storage.newKey())).rejects.toThrow('ENOENT');
  });

  it('has nothing of a file that came only in part, or was removed', async () => {
    const partial = storage.newKey();
    const broken = new Readable({
      read() {
        this.destroy(new Error('Cut off.'));
      },
    });
    await expect(storage.write(partial, broken)).rejects.toThrow('Cut off.');
    await expect(storage.read(partial)).rejects.toThrow('ENOENT');

    const removed = storage.newKey();
    await storage.write(removed, Readable.from([Buffer.from('content')]));
    await storage.remove(removed);
    await expect(storage.read(removed)).rejects.toThrow('ENOENT');
  });
});
