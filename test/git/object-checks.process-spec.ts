import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithGit } from '../support/git';
import { readEnvironment } from '../../src/config/environment';
import { bundleParts, readBundle } from '../../src/git/git-bundle';
import { NOBODY } from '../../src/git/git-pools';
import { GitProgram } from '../../src/git/git-program';
import { GitStore } from '../../src/git/git-store';
import { checkPackedObjects } from '../../src/git/object-checks';

const MIB = 1024 * 1024;
const MEMORY = 256 * MIB;
const TIMEOUT_MS = 60_000;

describeWithGit(checkPackedObjects.name, () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'project-management-git-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  function open(GIT_MEMORY: number): { git: GitProgram; store: GitStore } {
    const environment = readEnvironment({ GIT_ROOT: root, GIT_MEMORY: String(GIT_MEMORY) });
    const git = new GitProgram(environment);
    return { git, store: new GitStore(environment, git) };
  }

  /** Writes a bundle of a repository with files of zeros, of which similar ones are stored as deltas, and returns its path. */
  async function bundleOf(sizes: readonly number[]): Promise<string> {
    const { git, store } = open(0);
    const repository = await store.open(1);
    const person = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a' };
    const env = { ...person, GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a' };
    const options = { repository, userId: NOBODY, config: { 'pack.windowMemory': '0' }, env };
    let files = '';
    for (const size of sizes) {
      const content = { ...options, input: Buffer.alloc(size) };
      files += `100644 blob ${await git.text(['hash-object', '-w', '--stdin'], content)}\t${size}\n`;
    }
    const tree = await git.text(['mktree'], { ...options, input: files });
    const commit = await git.text(['commit-tree', tree, '-m', 'a'], options);
    await git.run(['update-ref', 'refs/heads/main', commit], options);
    await git.run(['repack', '-adq'], options);
    const parts: Buffer[] = [];
    for await (const { bytes } of bundleParts(git, repository)) parts.push(bytes);
    const path = join(root, 'a.bundle');
    await writeFile(path, Buffer.concat(parts));
    return path;
  }

  it.each([
    ['a large file', [150 * MIB]],
    ['a large file that has changed', [75 * MIB, 75 * MIB + 1]],
  ])(
    'accepts %s if git has the memory to unpack it',
    async (_what, sizes) => {
      const bundle = await bundleOf(sizes);
      const { git, store } = open(MEMORY);
      const repository = await store.open(2);
      await readBundle(git, repository, bundle);
      await checkPackedObjects(git, repository);
      expect(await git.text(['for-each-ref', '--format=%(refname)'], { repository, userId: NOBODY })).toBe(
        'refs/heads/main',
      );
    },
    TIMEOUT_MS,
  );
});
