import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
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
  afterEach(() => rm(root, { recursive: true, force: true }));

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
});
