import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { objectName } from './file-storage';
import { LocalFileStorage } from './local-file-storage';

const DAY_MS = 86_400_000;

describe(LocalFileStorage.name, () => {
  let path: string;
  const at = (given: string): LocalFileStorage => new LocalFileStorage(given);

  beforeEach(async () => {
    path = join(await mkdtemp(join(tmpdir(), 'file-storage-')), 'files');
  });
  afterEach(() => rm(dirname(path), { recursive: true }));

  it('creates its folder when it is missing', async () => {
    await at(path).prepare(false);
    await at(path).check();
    expect(await readdir(join(path, 'partial'))).toEqual([]);
  });

  it('refuses a file in place of its folder and names STORAGE_URL', async () => {
    await writeFile(path, 'A file.');
    await expect(at(path).prepare(false)).rejects.toThrow(
      /^Files cannot be stored .*STORAGE_URL: ENOTDIR.*$/,
    );
    await expect(at(path).prepare(true)).rejects.toThrow('ENOTDIR');
  });

  it.each([
    ['missing', () => Promise.resolve()],
    ['empty', () => mkdir(path)],
    ['empty except for lost+found', () => mkdir(join(path, 'lost+found'), { recursive: true })],
  ])('refuses a folder that is %s when the database has files', async (_what, make) => {
    await make();
    const listing = (): Promise<unknown> => readdir(dirname(path), { recursive: true });
    const before = await listing();
    for (let time = 0; time < 2; time++) {
      await expect(at(path).prepare(true)).rejects.toThrow(
        /^The database has files, .* missing or empty.*\.keep.*$/,
      );
    }
    expect(await listing()).toEqual(before);
    await mkdir(path, { recursive: true });
    await writeFile(join(path, '.keep'), '');
    await at(path).prepare(true);
  });

  it('keeps orphaned files for 30 days', async () => {
    const storage = at(path);
    await storage.prepare(false);
    const key = storage.newKey();
    await storage.write(key, Readable.from([Buffer.from('content')]));
    const longAgo = new Date(Date.now() - 90 * DAY_MS);
    await utimes(join(path, objectName(key)), longAgo, longAgo);
    await storage.putAside(key);
    expect(await storage.size(key)).toBeUndefined();
    await storage.removeOrphans();
    const kept = join(path, 'orphans', key);
    expect(await readFile(kept, 'utf8')).toBe('content');
    await storage.removeOrphans(Date.now() + 31 * DAY_MS);
    expect(await readdir(join(path, 'orphans'))).toEqual([]);
  });

  it('fails with ENOENT while its folder is not mounted, then recovers', async () => {
    const storage = at(path);
    await storage.prepare(false);
    const key = storage.newKey();
    await storage.write(key, Readable.from([Buffer.from('content')]));
    await rename(path, `${path}-elsewhere`);
    // Simulates a volume that is not mounted.
    await mkdir(path);
    await expect(storage.check()).rejects.toThrow('ENOENT');
    await expect(storage.probe()).rejects.toThrow('ENOENT');
    await expect(storage.remove(key)).rejects.toThrow('ENOENT');
    await expect(storage.write(storage.newKey(), Readable.from(['x']))).rejects.toThrow('ENOENT');
    expect(await readdir(path)).toEqual([]);
    await rm(path, { recursive: true });
    await rename(`${path}-elsewhere`, path);
    await storage.probe();
    expect(await text(await storage.read(key))).toBe('content');
  });

  it.each(['read', 'size', 'write', 'remove'] as const)(
    'refuses to follow a symbolic link on %s',
    async (operation) => {
      const storage = at(path);
      await storage.prepare(false);
      const outside = join(dirname(path), 'outside');
      await mkdir(outside);
      const file = storage.newKey();
      // The first two characters of a key are its folder: both keys need their own.
      const folder = `${file.startsWith('0') ? '1' : '0'}${storage.newKey().slice(1)}`;
      await writeFile(join(outside, folder), 'secret');
      await mkdir(join(path, file.slice(0, 2)));
      await symlink(join(outside, folder), join(path, objectName(file)));
      await symlink(outside, join(path, folder.slice(0, 2)));

      for (const key of [file, folder]) {
        const done =
          operation === 'write' ? storage.write(key, Readable.from(['changed'])) : storage[operation](key);
        await expect(done).rejects.toThrow('is a symbolic link');
      }
      expect(await readdir(outside)).toEqual([folder]);
      expect(await readFile(join(outside, folder), 'utf8')).toBe('secret');
    },
  );
});
