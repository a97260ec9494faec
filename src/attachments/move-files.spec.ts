import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { S3_KEY, useS3Server } from '../../test/support/s3-server';
import { readEnvironment } from '../config/environment';
import { type FileStorage } from './file-storage';
import { DifferentCopyError, type MoveProgress, moveFiles } from './move-files';
import { openStorage } from './open-storage';

/** The concurrency of a move, plus two. */
const FILES = 10;
const BYTES = 45;

const s3 = useS3Server();
let folder: string;
let source: FileStorage;
let target: FileStorage;
let contents: Map<string, string>;
let run = 0;

const open = async (kind: string): Promise<FileStorage> => {
  const STORAGE_URL = kind === 'a bucket' ? s3().url(`/run${++run}`) : `file:${join(folder, kind)}`;
  const storage = openStorage(readEnvironment({ STORAGE_URL, ...S3_KEY }));
  await storage.prepare(false);
  return storage;
};

const useStorages = (from: string, to: string): void => {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'file-storage-'));
    source = await open(from);
    target = await open(to);
    contents = new Map();
    for (let n = 0; n < FILES; n++) {
      const key = source.newKey();
      contents.set(key, 'x'.repeat(n));
      await source.write(key, Readable.from([Buffer.alloc(n, 'x')], { objectMode: false }));
    }
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await source.close();
    await target.close();
    await rm(folder, { recursive: true });
  });
};

const contentsOf = async (storage: FileStorage): Promise<Map<string, string>> => {
  const found = new Map<string, string>();
  for await (const { key } of storage.list()) found.set(key, await text(await storage.read(key)));
  return found;
};

describe.each([
  ['a folder', 'a bucket'],
  ['a bucket', 'a folder'],
])(`${moveFiles.name} from %s to %s`, (from, to) => {
  useStorages(from, to);

  it('copies all files and leaves the source unchanged', async () => {
    const steps: MoveProgress[] = [];
    const result = await moveFiles(source, target, { onProgress: (progress) => steps.push(progress) });
    expect(result).toEqual({ copied: FILES, copiedBytes: BYTES, present: 0, removed: 0 });
    expect(await contentsOf(target)).toEqual(contents);
    expect(await contentsOf(source)).toEqual(contents);
    expect(steps.map(({ files }) => files)).toEqual(Array.from({ length: FILES }, (_, n) => n + 1));
    expect(steps.at(-1)).toEqual({ files: FILES, bytes: BYTES, totalFiles: FILES, totalBytes: BYTES });
  });

  it('stops when its signal is aborted', async () => {
    const stop = new AbortController();
    const moved = moveFiles(source, target, {
      signal: stop.signal,
      onProgress: ({ files }) => {
        if (files === 1) stop.abort(new Error('Interrupted.'));
      },
    });
    await expect(moved).rejects.toThrow('Interrupted.');
    expect((await contentsOf(target)).size).toBeLessThan(FILES);
    await moveFiles(source, target);
    expect(await contentsOf(target)).toEqual(contents);
  });
});

describe(`${moveFiles.name} between folders`, () => {
  useStorages('a folder', 'another folder');

  it('continues after the failure of a previous run', async () => {
    const write = target.write.bind(target);
    let writes = 0;
    vi.spyOn(target, 'write').mockImplementation((key, content) => {
      if (++writes <= 4) return write(key, content);
      content.destroy();
      return Promise.reject(new Error('The target is full.'));
    });
    await expect(moveFiles(source, target, { remove: true })).rejects.toThrow('The target is full.');
    vi.restoreAllMocks();
    const before = (await contentsOf(target)).size;
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(FILES);
    // Files removed from the source are in the target.
    expect(new Map([...(await contentsOf(source)), ...(await contentsOf(target))])).toEqual(contents);

    await moveFiles(source, target);
    expect(await contentsOf(target)).toEqual(contents);
    expect(await moveFiles(source, target)).toMatchObject({ copied: 0, removed: 0 });
  });

  it('copies a file again when its size in the target differs', async () => {
    const [key = ''] = [...contents.keys()].slice(-1);
    await target.write(key, Readable.from([Buffer.from('half')]));
    expect(await moveFiles(source, target)).toMatchObject({ copied: FILES });
    expect(await contentsOf(target)).toEqual(contents);
  });

  it('fails and keeps the source file when its copy differs', async () => {
    const write = target.write.bind(target);
    vi.spyOn(target, 'write').mockImplementation(async (key, content) => {
      const size = await write(key, content);
      if (size === FILES - 1) {
        await target.remove(key);
        await write(key, Readable.from([Buffer.alloc(FILES - 1, 'y')]));
      }
      return size;
    });
    await expect(moveFiles(source, target, { remove: true })).rejects.toThrow(DifferentCopyError);
    expect([...(await contentsOf(source)).values()]).toContain('x'.repeat(FILES - 1));
  });

  it('removes copied files from the source, but none that differ', async () => {
    await moveFiles(source, target);
    const [key = ''] = [...contents.keys()].slice(-1);
    await target.remove(key);
    await target.write(key, Readable.from([Buffer.alloc(FILES - 1, 'y')]));
    await expect(moveFiles(source, target, { remove: true })).rejects.toThrow(DifferentCopyError);
    expect([...(await contentsOf(source)).keys()]).toContain(key);

    await target.remove(key);
    await moveFiles(source, target, { remove: true });
    expect(await contentsOf(source)).toEqual(new Map());
    expect(await contentsOf(target)).toEqual(contents);
  });

  it('skips a file that is removed meanwhile', async () => {
    const [gone = ''] = contents.keys();
    const read = source.read.bind(source);
    vi.spyOn(source, 'read').mockImplementation(async (key) => {
      if (key === gone) await source.remove(key);
      return read(key);
    });
    expect(await moveFiles(source, target)).toMatchObject({ copied: FILES - 1 });
    contents.delete(gone);
    expect(await contentsOf(target)).toEqual(contents);
  });

  it('replaces a partial file of a killed run', async () => {
    const [key = ''] = contents.keys();
    await writeFile(join(folder, 'another folder', 'partial', key), 'ha');
    expect(await moveFiles(source, target)).toMatchObject({ copied: FILES });
    expect(await contentsOf(target)).toEqual(contents);
  });
});
