import { mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Environment } from '../config/environment';
import { type GitProgram } from './git-program';
import { GitStore } from './git-store';

describe(GitStore.name, () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'git-store-'));
  });
  afterEach(async () => {
    vi.useRealTimers();
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
});
