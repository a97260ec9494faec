import { lstat, opendir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment';
import { GitError } from './git-errors';
import { GitProgram, NOBODY } from './git-program';

/** Git holds a lock for moments, except of a process that was killed. */
const LOCK_MS = 10 * 60_000;
/** Longer than any push may take (`GIT_TIMEOUT`). */
const TEMPORARY_MS = 25 * 3_600_000;
/** Objects in files of their own, and packs, above which `git gc` makes one pack of them. */
const MAX_LOOSE = 2048;
const MAX_PACKS = 50;
/** How long objects that nothing refers to are kept: a push under way may be about to refer to them. */
const UNREACHABLE = '2.weeks.ago';

const LOCK = /\.lock$/;
/** What git names the files and folders in which it prepares packs and receives pushes. */
const TEMPORARY = /^(tmp_|\.tmp-|incoming-|tmp_objdir-)/;

/**
 * What keeps a bare repository in order while others use it. `git gc` is safe beside pushes and fetches, and holds a lock by which only
 * one process, on whatever machine, works on a repository.
 */
@Injectable()
export class GitHousekeeping {
  constructor(
    private readonly environment: Environment,
    private readonly git: GitProgram,
  ) {}

  /** Removes the locks and temporary files of processes that were killed. */
  async removeStale(folder: string, now = Date.now()): Promise<void> {
    await removeOld(folder, LOCK, now - LOCK_MS);
    await removeOld(join(folder, 'refs'), LOCK, now - LOCK_MS, true);
    await removeOld(join(folder, 'objects/info'), LOCK, now - LOCK_MS, true);
    for (const name of ['objects', 'objects/pack']) {
      await removeOld(join(folder, name), LOCK, now - LOCK_MS);
      await removeOld(join(folder, name), TEMPORARY, now - TEMPORARY_MS);
    }
  }

  /** Whether there are so many files that they cost time, by a look at two folders. */
  async isNeeded(folder: string): Promise<boolean> {
    const packs = (await namesIn(join(folder, 'objects/pack'))).filter((name) => name.endsWith('.pack'));
    if (packs.length > MAX_PACKS) return true;
    // Hashes are spread evenly over 256 folders.
    return (await namesIn(join(folder, 'objects/17'))).length * 256 > MAX_LOOSE;
  }

  /**
   * Packs all objects and refs, and removes objects that nothing has referred to for two weeks. Uses one core at low priority.
   * @returns whether it was done; another process may be doing it
   */
  async collect(folder: string, signal?: AbortSignal): Promise<boolean> {
    const config = {
      'gc.pruneExpire': UNREACHABLE,
      // In one pack rather than in thousands of files.
      'gc.cruftPacks': 'true',
      'pack.threads': '1',
      'pack.windowMemory': '64m',
      'repack.writeBitmaps': 'true',
    };
    const timeoutMs = this.environment.GIT_TIMEOUT * 1000;
    const options = { repository: folder, userId: NOBODY, config, timeoutMs, signal, isLowPriority: true };
    try {
      await this.git.run(['gc', '--quiet'], options);
      return true;
    } catch (error) {
      if (error instanceof GitError && error.stderr.includes('gc is already running')) return false;
      throw error;
    }
  }
}

/** Removes what has a certain name and has not changed since a time. Follows no links. */
async function removeOld(folder: string, name: RegExp, before: number, isDeep = false): Promise<void> {
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    try {
      for await (const entry of await opendir(next)) {
        const path = join(next, entry.name);
        if (name.test(entry.name)) await removeIfOld(path, before);
        else if (isDeep && entry.isDirectory()) folders.push(path);
      }
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
}

async function removeIfOld(path: string, before: number): Promise<void> {
  const { mtimeMs } = await lstat(path).catch((error: unknown) => {
    // Whoever held the lock has given it back.
    if (isMissing(error)) return { mtimeMs: Infinity };
    throw error;
  });
  if (mtimeMs < before) await rm(path, { recursive: true, force: true });
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';
