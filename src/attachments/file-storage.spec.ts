import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { S3_KEY, useS3Server } from '../../test/support/s3-server';
import { readEnvironment } from '../config/environment';
import { InvalidRequestError, ServiceUnavailableError } from '../errors/domain-errors';
import { FileStorage, StorageFailedError, type StoredFile, toStorageError } from './file-storage';
import { openStorage } from './open-storage';

const listed = async (storage: FileStorage): Promise<StoredFile[]> => {
  const files: StoredFile[] = [];
  for await (const file of storage.list()) files.push(file);
  return files.sort((a, b) => a.key.localeCompare(b.key));
};

describe.each(['a folder', 'a bucket', 'a part of a bucket'])(`${FileStorage.name} in %s`, (kind) => {
  const s3 = useS3Server();
  let folder: string;
  let storage: FileStorage;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'file-storage-'));
    const STORAGE_URL =
      kind === 'a folder' ? `file:${folder}` : s3().url(kind === 'a bucket' ? '' : '/tracker/files');
    storage = openStorage(readEnvironment({ STORAGE_URL, ...S3_KEY }));
    await storage.prepare(false);
  });
  afterAll(async () => {
    await storage.close();
    await rm(folder, { recursive: true });
  });

  const store = async (content: string | Buffer): Promise<string> => {
    const key = storage.newKey();
    await storage.write(key, Readable.from([content]));
    return key;
  };

  it('passes its check and its probe', async () => {
    await storage.check();
    await storage.probe();
  });

  it.each([0, 1, 65_536, 3_000_001])('reads %d bytes that were written', async (size) => {
    const key = storage.newKey();
    const content = randomBytes(size);
    expect(await storage.write(key, Readable.from(content, { objectMode: false }))).toBe(size);
    expect(await storage.size(key)).toBe(size);
    expect(Math.abs(Date.now() - ((await storage.writtenAt(key)) ?? 0))).toBeLessThan(600_000);
    expect((await buffer(await storage.read(key))).equals(content)).toBe(true);
  });

  it('reports a missing file before the first byte', async () => {
    await expect(storage.read(storage.newKey())).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await storage.size(storage.newKey())).toBeUndefined();
    expect(await storage.writtenAt(storage.newKey())).toBeUndefined();
  });

  it.each([
    '../secret',
    '..',
    '',
    '/etc/passwd',
    'partial/probe',
    `${randomUUID()}/../x`,
    randomUUID().toUpperCase(),
  ])('refuses the malformed key %j', async (key) => {
    await expect(storage.read(key)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(storage.write(key, Readable.from(['content']))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await storage.size(key)).toBeUndefined();
    expect(await storage.writtenAt(key)).toBeUndefined();
    await storage.remove(key);
  });

  it('keeps nothing of a partially written file', async () => {
    const before = await listed(storage);
    const partial = storage.newKey();
    let chunks = 0;
    const broken = new Readable({
      read() {
        if (chunks++ < 3) this.push(Buffer.alloc(100_000));
        else this.destroy(new Error('Cut off.'));
      },
    });
    await expect(storage.write(partial, broken)).rejects.toThrow('Cut off.');
    await expect(storage.read(partial)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await listed(storage)).toEqual(before);
  });

  it('keeps nothing of a file that was removed twice', async () => {
    const key = await store('content');
    await storage.remove(key);
    await storage.remove(key);
    await expect(storage.read(key)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('stays usable after its readers are destroyed', async () => {
    const key = await store(Buffer.alloc(1_000_000));
    (await storage.read(key)).destroy();
    const stream = await storage.read(key);
    await new Promise((resolve) => stream.once('data', resolve));
    stream.destroy();
    expect(await storage.size(key)).toBe(1_000_000);
  });

  it('lists its files with their sizes', async () => {
    const before = await listed(storage);
    const added: StoredFile[] = [];
    for (const content of ['', 'a', 'bc']) added.push({ key: await store(content), size: content.length });
    expect(await listed(storage)).toEqual([...before, ...added].sort((a, b) => a.key.localeCompare(b.key)));
  });

  it('prepares a storage that is in use and has files', async () => {
    await store('content');
    await storage.prepare(true);
  });
});

describe(toStorageError.name, () => {
  it.each(['ENOSPC', 'EROFS', 'EACCES', 'EIO', 'EMFILE', 'ENOENT', 'ENOTDIR', 'EDQUOT'])(
    'turns %s into ServiceUnavailableError',
    (code) => {
      const error = Object.assign(new Error('Why.'), { code });
      const answered = toStorageError(error);
      expect(answered).toBeInstanceOf(ServiceUnavailableError);
      expect(answered).toHaveProperty('cause', error);
    },
  );

  it('turns StorageFailedError into ServiceUnavailableError', () => {
    expect(toStorageError(new StorageFailedError('Why.'))).toBeInstanceOf(ServiceUnavailableError);
  });

  it.each([new Error('A bug.'), new InvalidRequestError('The upload was cut off.')])(
    'leaves %s unchanged',
    (error) => {
      expect(toStorageError(error)).toBe(error);
    },
  );
});
