import { randomUUID } from 'node:crypto';
import { constants, utimesSync } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, open, opendir, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment';
import { NoResourceError, ServiceUnavailableError } from '../errors/domain-errors';
import { isMissing, namesIn } from '../errors/missing-file';
import { makeSyncedFolder } from '../synced-folders';
import { NOBODY } from './git-pools';
import { GitProgram, isRemoved } from './git-program';
import { syncIfPresent, syncRepository } from './sync-folders';

/** The exact configuration of every repository. Nothing else is allowed in it, because git obeys it. */
const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tfilemode = false\n\tbare = true\n';
const DEFAULT_BRANCH = 'main';
const HEAD = /^ref: refs\/heads\/[^\s\0]+\n$/;
/** Free space below which no push is taken, in bytes: a small pack, and the rows about it. */
const MIN_FREE = 4 * 1024 * 1024;
/** The folder of repositories that have no row. */
const ORPHANS = 'orphans';
const RESTORE = 'restore';
/** How often a folder in use is touched, in milliseconds: one that was not for an hour may be removed. */
const HEARTBEAT_MS = 60_000;
/** Files that would direct git to other folders or programs. */
const FORBIDDEN = [
  'commondir',
  'config.worktree',
  'gitdir',
  'shallow.lock',
  'objects/info/alternates',
  'objects/info/http-alternates',
];

/**
 * Bare repositories in folders of `GIT_ROOT`, by the ids of their rows: `repositories/12/3412.git` has the id 3412. Removed repositories
 * are moved to `removed` first, and those without a row to `orphans`. Several processes share the folder, with no locks but git's own
 * (`docs/decisions/0045-git.md`).
 */
@Injectable()
export class GitStore {
  private readonly root: string;
  private requireMakable: (id: number) => Promise<void> = () => Promise.resolve();

  constructor(
    environment: Environment,
    private readonly git: GitProgram,
  ) {
    this.root = resolve(environment.GIT_ROOT);
  }

  /**
   * Sets the check that runs before a missing folder is created, and throws the reason why it must not be: neither a lost folder nor that
   * of a removed repository may become an empty repository.
   */
  setCreationCheck(requireMakable: (id: number) => Promise<void>): void {
    this.requireMakable = requireMakable;
  }

  /** Returns the folder of a repository, whether it exists or not. */
  folderOf(id: number): string {
    return join(this.root, 'repositories', String(id % 100).padStart(2, '0'), `${id}.git`);
  }

  /**
   * Returns the folder of a repository for use: creates it when it is missing, and removes anything that would direct git elsewhere.
   * @throws GitUnavailableError without git, NoResourceError when the repository has been removed, GitFolderMissingError when it has been
   * lost
   */
  async open(id: number): Promise<string> {
    const folder = this.folderOf(id);
    const config = await configOf(folder);
    if (config === undefined) {
      await this.requireMakable(id);
      await this.create(folder);
      await this.removeIfUnwanted(id);
    } else if (config !== CONFIG) {
      await throwIfRemoved(folder, replaceFile(join(folder, 'config'), CONFIG));
    }
    // Without a readable HEAD, git takes the folder for no repository.
    if (!HEAD.test(await headOf(folder))) await this.pointHead(folder, DEFAULT_BRANCH);
    await removeForbidden(folder);
    return folder;
  }

  /** Makes a clone check out a branch: points `HEAD` at it, unless it does already. */
  async pointHead(folder: string, branch: string): Promise<void> {
    const head = `ref: refs/heads/${branch}\n`;
    if ((await headOf(folder)) !== head)
      await throwIfRemoved(folder, replaceFile(join(folder, 'HEAD'), head));
  }

  /** @throws ServiceUnavailableError when the disk has no space for a push */
  async requireFreeSpace(): Promise<void> {
    const { blocks, bavail, bsize } = await statfs(this.root);
    // Some file systems do not know their size.
    if (blocks > 0 && bavail * bsize < MIN_FREE)
      throw new ServiceUnavailableError(
        new Error(`Less than ${MIN_FREE} bytes are free in GIT_ROOT`),
        'The disk of the server is full, so pushes are refused: the operator of the server must free space.',
      );
  }

  /** Returns whether a repository has a folder. */
  async has(id: number): Promise<boolean> {
    return (await configOf(this.folderOf(id))) !== undefined;
  }

  /** Removes a repository; it becomes invisible at once. Does nothing when it does not exist. */
  async remove(id: number): Promise<void> {
    const removed = join(this.root, 'removed', `${id}-${randomUUID()}`);
    await mkdir(join(this.root, 'removed'), { recursive: true });
    try {
      await rename(this.folderOf(id), removed);
    } catch (error) {
      if (isMissing(error)) return;
      throw error;
    }
    await rm(removed, { recursive: true, force: true });
  }

  /** Removes the leftovers of processes that were killed while they created or removed a repository, at least an hour ago by default. */
  async removeLeftovers(olderThanMs = 3_600_000): Promise<void> {
    for (const name of ['new', 'removed']) {
      const folder = join(this.root, name);
      for (const entry of await namesIn(folder)) {
        const path = join(folder, entry);
        const changed = await changedAt(path);
        if (changed !== undefined && Date.now() - changed >= olderThanMs)
          await rm(path, { recursive: true, force: true });
      }
    }
  }

  /**
   * Moves an orphaned folder aside, under a name with its id and the time.
   * @param graceMs how long it must have been unchanged, in milliseconds
   * @returns its new path; undefined when it is not old enough, or gone
   */
  async putAside(id: number, graceMs: number): Promise<string | undefined> {
    const folder = this.folderOf(id);
    const time = new Date().toISOString().replace(/[:.]/g, '-');
    const path = join(this.root, ORPHANS, `${id}.git-${time}-${randomUUID().slice(0, 8)}`);
    try {
      const changed = await changedAt(folder);
      if (changed === undefined || Date.now() - changed < graceMs) return undefined;
      await mkdir(join(this.root, ORPHANS), { recursive: true, mode: 0o700 });
      await rename(folder, path);
      return path;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Removes folders that were moved aside more than this number of days ago. */
  async removeOrphans(days: number): Promise<void> {
    const before = new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
    for (const name of await namesIn(join(this.root, ORPHANS))) {
      const [, day] = /^\d+\.git-(\d{4}-\d\d-\d\d)T/.exec(name) ?? [];
      if (day !== undefined && day < before)
        await rm(join(this.root, ORPHANS, name), { recursive: true, force: true });
    }
  }

  /** Yields the ids of all repositories that have a folder, in no particular order. */
  async *ids(): AsyncGenerator<number> {
    const folder = join(this.root, 'repositories');
    for (const part of await namesIn(folder)) {
      for (const name of await namesIn(join(folder, part))) {
        const id = Number(/^(\d+)\.git$/.exec(name)?.[1]);
        if (Number.isSafeInteger(id)) yield id;
      }
    }
  }

  /** Creates an empty folder, which the caller removes; `removeLeftovers` does it if the process is killed. */
  async makeTemporary(name: string): Promise<string> {
    await mkdir(join(this.root, 'new'), { recursive: true, mode: 0o700 });
    return mkdtemp(join(this.root, 'new', `${name}-`));
  }

  /** Keeps a folder from looking abandoned, however long its use takes. @returns a function that ends this */
  keepAlive(folder: string): () => void {
    const heartbeat = setInterval(() => {
      try {
        this.touch(folder);
      } catch {
        // An error in a timer would end the process. If the disk has a problem, the user of the folder reports it.
      }
    }, HEARTBEAT_MS);
    heartbeat.unref();
    return () => clearInterval(heartbeat);
  }

  /** Shows that a folder is in use, if it exists. */
  touch(folder: string): void {
    const now = Date.now() / 1000;
    try {
      utimesSync(folder, now, now);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  /** Returns the total size of a repository's files in bytes; 0 when it has no folder. */
  async size(id: number): Promise<number> {
    let bytes = 0;
    const folders = [this.folderOf(id)];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      try {
        for await (const entry of await opendir(folder)) {
          const path = join(folder, entry.name);
          if (entry.isDirectory()) folders.push(path);
          else if (entry.isFile()) bytes += (await lstat(path)).size;
        }
      } catch (error) {
        // Git may remove files at any time.
        if (!isMissing(error)) throw error;
      }
    }
    return bytes;
  }

  /** The folder in which a restore prepares repositories. */
  get restoreFolder(): string {
    return join(this.root, RESTORE);
  }

  /** Whether a restore has left its folder and has not touched it for a time, in milliseconds. */
  async hasLeftRestore(olderThanMs: number): Promise<boolean> {
    const times = [await changedAt(this.restoreFolder)];
    for (const name of await namesIn(this.restoreFolder))
      times.push(await changedAt(join(this.restoreFolder, name)));
    const known = times.filter((time) => time !== undefined);
    return known.length > 0 && Date.now() - Math.max(...known) >= olderThanMs;
  }

  /** Removes the remains of a restore. */
  async removeRestore(): Promise<void> {
    await rm(this.restoreFolder, { recursive: true, force: true });
  }

  /** Creates an empty repository in any empty folder. */
  async makeAt(folder: string): Promise<void> {
    const options = { userId: NOBODY, env: { GIT_DEFAULT_HASH: 'sha1' } };
    const branch = `--initial-branch=${DEFAULT_BRANCH}`;
    await this.git.run(['init', '--quiet', '--bare', '--template=', branch, folder], options);
    await replaceFile(join(folder, 'config'), CONFIG);
    await replaceFile(join(folder, 'HEAD'), `ref: refs/heads/${DEFAULT_BRANCH}\n`);
    for (const name of ['refs', 'objects', '.']) await syncIfPresent(join(folder, name));
    await chmod(folder, 0o700);
  }

  /** Moves a folder that was prepared elsewhere in `GIT_ROOT` to the place of a repository that has none, and makes it durable there. */
  async place(made: string, id: number): Promise<void> {
    await syncRepository(made);
    await moveInto(made, this.folderOf(id));
  }

  /** The repository may have been removed while its folder was created. @throws NoResourceError */
  private async removeIfUnwanted(id: number): Promise<void> {
    try {
      await this.requireMakable(id);
    } catch (error) {
      if (!(error instanceof NoResourceError)) return;
      await this.remove(id);
      throw error;
    }
  }

  private async create(folder: string): Promise<void> {
    const made = join(this.root, 'new', randomUUID());
    await mkdir(made, { recursive: true, mode: 0o700 });
    try {
      await this.makeAt(made);
      await moveInto(made, folder);
    } catch (error) {
      await rm(made, { recursive: true, force: true });
      // Another request or process may have created it first.
      if ((await configOf(folder)) === undefined) throw error;
    }
  }
}

/** Returns the configuration of a repository; undefined when it has no folder. */
async function configOf(folder: string): Promise<string | undefined> {
  try {
    if (!(await lstat(folder)).isDirectory()) return undefined;
    const file = await open(join(folder, 'config'), constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    if ((error as NodeJS.ErrnoException).code === 'ELOOP') return '';
    throw error;
  }
}

/** Waits for work in a folder. @throws NoResourceError when it fails because the repository has been removed */
async function throwIfRemoved<T>(folder: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error) && (await isRemoved(folder))) throw new NoResourceError('git repository');
    throw error;
  }
}

/** Returns the content of `HEAD`; empty when it is missing or not a regular file. */
async function headOf(folder: string): Promise<string> {
  try {
    const file = await open(join(folder, 'HEAD'), constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isMissing(error) || (error as NodeJS.ErrnoException).code === 'ELOOP') return '';
    throw error;
  }
}

async function removeForbidden(folder: string): Promise<void> {
  for (const name of FORBIDDEN) {
    const path = join(folder, name);
    try {
      await lstat(path);
    } catch {
      continue;
    }
    await rm(path, { force: true, recursive: true });
  }
}

async function moveInto(made: string, folder: string): Promise<void> {
  await makeSyncedFolder(join(folder, '..'), 0o700);
  await rename(made, folder);
  await syncIfPresent(join(folder, '..'));
}

async function replaceFile(path: string, text: string): Promise<void> {
  const written = `${path}.${randomUUID()}`;
  await writeFile(written, text, { mode: 0o600, flush: true });
  await rename(written, path);
}

/** Returns when a folder was last changed, in milliseconds since 1970; undefined when it is gone, perhaps removed by another process. */
async function changedAt(path: string): Promise<number | undefined> {
  try {
    return (await lstat(path)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
