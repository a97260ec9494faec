import { type Stats, fstatSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MockInstance } from 'vitest';
import { makeSyncedFolder } from './synced-folders';

const idOf = ({ dev, ino }: Stats): string => `${dev}:${ino}`;

describe.skipIf(process.platform === 'win32')(makeSyncedFolder.name, () => {
  let root: string;
  let chain: string[];
  let deepest: string;
  let synced: Set<string>;
  let sync: MockInstance<() => Promise<void>>;

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'synced-'));
    chain = [root, join(root, 'a'), join(root, 'a', 'b')];
    deepest = join(root, 'a', 'b', 'c');
    synced = new Set();
    const handle = await open(root);
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    const original = prototype.sync;
    sync = vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
      await original.call(this);
      synced.add(idOf(fstatSync(this.fd)));
    });
  });

  afterEach(() => {
    vi.restoreAllMocks();
    rmSync(root, { recursive: true });
  });

  const syncedOf = (folders: readonly string[]): string[] =>
    folders.filter((folder) => synced.has(idOf(statSync(folder))));

  it('syncs the names of all folders that it creates', async () => {
    await makeSyncedFolder(deepest);
    expect(syncedOf([...chain, deepest])).toEqual(chain);
  });

  it('syncs the names of folders that another process has just created', async () => {
    mkdirSync(deepest, { recursive: true });
    await makeSyncedFolder(deepest);
    expect(syncedOf([...chain, deepest])).toEqual(chain);
  });

  it('syncs the names above a folder that another process has just created', async () => {
    mkdirSync(join(root, 'a'));
    await makeSyncedFolder(deepest);
    expect(syncedOf(chain)).toEqual(chain);
  });

  it('syncs a folder that it knows only if it was removed', async () => {
    await makeSyncedFolder(deepest);
    synced.clear();
    await makeSyncedFolder(deepest);
    expect(synced.size).toBe(0);
    rmSync(deepest, { recursive: true });
    await makeSyncedFolder(deepest);
    expect(syncedOf(chain)).toEqual([join(root, 'a', 'b')]);
  });

  it('does not count on a call that has not ended', async () => {
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    let first!: Promise<void>;
    await new Promise<void>((begin) => {
      sync.mockImplementationOnce(() => {
        begin();
        return held;
      });
      first = makeSyncedFolder(deepest);
    });
    await makeSyncedFolder(deepest);
    expect(syncedOf(chain)).toEqual(chain);
    release();
    await first;
  });
});
