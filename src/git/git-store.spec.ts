import {
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readlink,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type Environment } from '../config/environment';
import { makeSyncedFolder } from '../synced-folders';
import { type GitProgram } from './git-program';
import { GitStore } from './git-store';

describe(GitStore.name, () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'git-store-'));
  });
  afterEach(async () => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    await rm(root, { recursive: true, force: true });
  });

  it('removes leftovers while another process removes them, too', async () => {
    const folders = ['new', 'removed'].map((name) => join(root, name));
    for (const folder of folders)
      for (let number = 0; number < 300; number++)
        await mkdir(join(folder, `${number}`), { recursive: true });
    const store = new GitStore({ GIT_ROOT: root } as Environment, {} as GitProgram);
    const others = folders.map((folder) => rm(folder, { recursive: true }));
    await Promise.all([...others, store.removeLeftovers()]);
    expect(await readdir(root)).toEqual([]);
  });

  it('keeps a folder that is in use from becoming a leftover until its use ends', async () => {
    const store = new GitStore({ GIT_ROOT: root } as Environment, {} as GitProgram);
    const folder = await store.makeTemporary('import');
    const age = () => utimes(folder, 0, 0);
    const changed = async (): Promise<number> => (await stat(folder)).mtimeMs;
    await age();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const ends = [store.keepAlive(folder), store.keepAlive(join(root, 'missing'))];
    vi.advanceTimersByTime(60_000);
    expect(await changed()).toBeGreaterThan(0);
    await store.removeLeftovers();
    await age();
    for (const end of ends) end();
    expect(vi.getTimerCount()).toBe(0);
    await store.removeLeftovers();
    expect(await readdir(join(root, 'new'))).toEqual([]);
  });

  it('syncs a prepared repository before it moves it, and then the folders of its place', async () => {
    const store = new GitStore({ GIT_ROOT: root } as Environment, {} as GitProgram);
    // Its name, and those of the folders above it, are synced once in a process.
    await makeSyncedFolder(root);
    const folder = await store.makeTemporary('import');
    for (const path of ['objects/pack', 'refs/heads/topic', 'refs/pull/1'])
      await mkdir(join(folder, path), { recursive: true });
    for (const path of ['HEAD', 'packed-refs', 'refs/heads/topic/a']) await writeFile(join(folder, path), '');
    const synced: string[] = [];
    const handle = await open(folder);
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
      synced.push(relative(root, await readlink(`/proc/self/fd/${this.fd}`)));
    });
    await store.place(folder, 3412);
    const before = synced.filter((path) => path.startsWith('new/'));
    expect(synced.slice(before.length)).toEqual(['repositories', '', 'repositories/12']);
    expect(before.map((path) => relative(relative(root, folder), path)).sort()).toEqual([
      '',
      'HEAD',
      'objects',
      'objects/pack',
      'refs',
      'refs/heads',
      'refs/heads/topic',
      'refs/pull',
      'refs/pull/1',
    ]);
    expect(await readdir(join(store.folderOf(3412), 'refs'))).toEqual(['heads', 'pull']);
  });
});
