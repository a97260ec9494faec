import { ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, rm, symlink, writeFile, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithGit } from '../../test/support/git';
import { readEnvironment } from '../config/environment';
import { NoResourceError, ServiceUnavailableError } from '../errors/domain-errors';
import { GitReaderService } from '../git-repositories/contents/git-reader.service';
import { bundleParts, readBundle } from './git-bundle';
import { GitError, GitOutputError, GitUnavailableError } from './git-errors';
import { NOBODY } from './git-pools';
import { GitProgram } from './git-program';
import { GitStore } from './git-store';

/** The method with which Node starts a process; it is missing from the types. */
interface Spawning {
  spawn: (this: ChildProcess) => number;
}

const forService = { userId: NOBODY };

describeWithGit('the git program and its store', () => {
  let root: string;
  let git: GitProgram;
  let store: GitStore;

  const open = (settings: Record<string, string> = {}): void => {
    const environment = readEnvironment({ GIT_ROOT: root, ...settings });
    git = new GitProgram(environment);
    store = new GitStore(environment, git);
  };

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'project-management-git-'));
    open();
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('creates one repository for simultaneous calls, and removes it completely', async () => {
    const folders = await Promise.all([store.open(3412), store.open(3412), store.open(3412)]);
    expect(new Set(folders)).toEqual(new Set([join(root, 'repositories/12/3412.git')]));
    const head = await git.text(['symbolic-ref', 'HEAD'], { repository: folders[0], ...forService });
    expect(head).toBe('refs/heads/main');
    expect(await readdir(join(root, 'new'))).toEqual([]);
    const ids: number[] = [];
    for await (const id of store.ids()) ids.push(id);
    expect(ids).toEqual([3412]);
    expect(await store.size(3412)).toBeGreaterThan(0);
    await store.remove(3412);
    expect(await store.has(3412)).toBe(false);
    expect(await readdir(join(root, 'removed'))).toEqual([]);
  });

  it('resets the configuration and removes the alternates of a repository', async () => {
    const folder = await store.open(7);
    await writeFile(
      join(folder, 'config'),
      '[core]\n\tbare = true\n\tpager = touch /tmp/x\n[alias]\n\tlog = !false\n',
    );
    await mkdir(join(folder, 'objects/info'), { recursive: true });
    await writeFile(join(folder, 'objects/info/alternates'), '/etc\n');
    await writeFile(join(root, 'config'), '[core]\n\tbare = false\n');
    await store.open(7);
    expect(await git.text(['config', '--local', '--list'], { repository: folder, ...forService })).toBe(
      'core.repositoryformatversion=0\ncore.filemode=false\ncore.bare=true',
    );
    expect(await readdir(join(folder, 'objects/info'))).toEqual([]);
    await rm(join(folder, 'config'));
    await symlink(join(root, 'config'), join(folder, 'config'));
    await store.open(7);
    expect(await git.text(['config', 'core.bare'], { repository: folder, ...forService })).toBe('true');
  });

  it.each([
    ['/nonexistent/git', 'ENOENT'],
    ['no-such-git', 'ENOENT'],
    ['/etc/passwd', 'EACCES'],
    ['/', 'EACCES'],
  ])('names GIT_PATH and the reason when %s cannot be run', async (path, reason) => {
    open({ GIT_PATH: path });
    await expect(store.open(1)).rejects.toThrow(GitUnavailableError);
    const message = new RegExp(`GIT_PATH is ${path}, which cannot be run: .*${reason}`);
    await expect(git.requireVersion()).rejects.toThrow(message);
    expect(await git.isAvailable()).toBe(false);
  });

  it('fails when git fails, prints too much or takes too long', async () => {
    const repository = await store.open(1);
    const options = { repository, ...forService };
    await expect(git.run(['rev-parse', '--verify', 'HEAD'], options)).rejects.toThrow(GitError);
    await expect(git.run(['help', '-a'], { ...forService, maxOutput: 10 })).rejects.toThrow(GitOutputError);
    const slow = await git.start(['cat-file', '--batch'], { ...options, timeoutMs: 1 });
    expect((await slow.exited).code).toBeNull();
    const child = await git.start(['cat-file', '--batch'], options);
    child.kill();
    expect((await child.exited).code).toBeNull();
  });

  it('reads a bundle, but not a file that links to another repository', async () => {
    const secret = await store.open(1);
    const options = { repository: secret, ...forService };
    const tree = await git.text(['mktree'], options);
    const env = {
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a',
    };
    const commit = await git.text(['commit-tree', tree, '-m', 'a'], { ...options, env });
    await git.run(['update-ref', 'refs/heads/main', commit], options);
    const repository = await store.open(2);
    const bundle = join(root, '2.bundle');
    await writeFile(bundle, `gitdir: ${secret}\n`);
    await expect(readBundle(git, repository, bundle)).rejects.toThrow(/not a bundle/);
    const refs = (): Promise<string> =>
      git.text(['for-each-ref', '--format=%(refname)'], { repository, ...forService });
    expect(await refs()).toBe('');
    const parts: Buffer[] = [];
    for await (const { bytes } of bundleParts(git, secret)) parts.push(bytes);
    await writeFile(bundle, Buffer.concat(parts));
    await readBundle(git, repository, bundle);
    expect(await refs()).toBe('refs/heads/main');
  });

  it('detects whether the memory of git can be limited', async () => {
    expect(await git.hasMemoryLimit()).toBe(true);
    const unlimited = join(root, 'git');
    const script = '#!/bin/sh\ncase "$*" in *limit) echo unlimited ;; *) echo git version 2.40.0 ;; esac\n';
    await writeFile(unlimited, script, { mode: 0o700 });
    open({ GIT_PATH: unlimited });
    expect(await git.hasMemoryLimit()).toBe(false);
    open({ GIT_PATH: unlimited, GIT_MEMORY: '0' });
    expect(await git.hasMemoryLimit()).toBe(true);
  });

  it('reports a removed repository despite an accepted exit code', async () => {
    const script =
      '#!/bin/sh\ncase "$*" in *--version) echo git version 2.40.0 ;; *) rm -rf "$PWD"; exit 128 ;; esac\n';
    await writeFile(join(root, 'git'), script, { mode: 0o700 });
    open({ GIT_PATH: join(root, 'git') });
    const options = { ...forService, okCodes: [128] };
    const make = async (id: number): Promise<string> => {
      const repository = store.folderOf(id);
      await mkdir(repository, { recursive: true });
      return repository;
    };
    await expect(git.run(['show-ref'], { ...options, repository: await make(1) })).rejects.toThrow(
      NoResourceError,
    );
    const repository = await make(2);
    vi.spyOn(store, 'open').mockResolvedValue(repository);
    const reader = new GitReaderService(git, store, readEnvironment({}));
    const reading = { repositoryId: 2, userId: 5 };
    await expect(reader.text(reading, ['show-ref'], { okCodes: [128] })).rejects.toThrow(NoResourceError);
  });

  it('limits the simultaneous processes of a user', async () => {
    open({ GIT_PROCESSES_PER_USER: '1' });
    const repository = await store.open(1);
    const child = await git.start(['cat-file', '--batch'], { repository, userId: 5 });
    let isDone = false;
    const other = git.run(['--version'], { userId: 5 }).then(() => (isDone = true));
    await git.run(['--version'], { userId: 6 });
    expect(isDone).toBe(false);
    child.kill();
    await other;
  });

  it('releases the turn of a process that cannot be started', async () => {
    open({ GIT_PROCESSES_PER_USER: '1' });
    await expect(git.start(['a\0b'], { userId: 5 })).rejects.toThrow(/null bytes/);
    expect((await git.run(['--version'], { userId: 5 })).code).toBe(0);
    const noPipes = vi.spyOn(ChildProcess.prototype as unknown as Spawning, 'spawn');
    // Simulates Node's behaviour when too many files are open.
    noPipes.mockImplementationOnce(function (this: ChildProcess) {
      process.nextTick(() => this.emit('error', new Error('spawn git EMFILE')));
      return -24;
    });
    try {
      await expect(git.start(['--version'], { userId: 5 })).rejects.toThrow(ServiceUnavailableError);
    } finally {
      noPipes.mockRestore();
    }
    expect((await git.run(['--version'], { userId: 5 })).code).toBe(0);
    expect(git.running).toBe(0);
  });
});
