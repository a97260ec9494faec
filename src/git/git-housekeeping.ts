import { lstat, opendir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, Logger } from '@nestjs/common';
import { Environment } from '../config/environment';
import { isMissing, namesIn } from '../errors/missing-file';
import { GitError } from './git-errors';
import { NOBODY } from './git-pools';
import { GitProgram } from './git-program';

/** Age above which a lock is stale, in milliseconds. Git holds locks only briefly, unless the process was killed. */
const LOCK_MS = 10 * 60_000;
/** Age above which temporary files are stale, in milliseconds: longer than any push may take (`GIT_TIMEOUT`). */
const TEMPORARY_MS = 25 * 3_600_000;
/** Numbers of loose objects and of packs above which `git gc` combines them into one pack. */
const MAX_LOOSE = 2048;
const MAX_PACKS = 50;
/** How long unreachable objects are kept: a push in progress may be about to reference them. */
const UNREACHABLE = '2.weeks.ago';

/** Timeout of packing refs, which removes the file of each, in milliseconds. */
const PACK_REFS_MS = 5 * 60_000;

const LOCK = /\.lock$/;
/** Names of the files and folders in which git prepares packs and receives pushes. */
const TEMPORARY = /^(tmp_|\.tmp-|incoming-|tmp_objdir-)/;

/**
 * Maintains bare repositories while they are in use. `git gc` is safe during pushes and fetches, and holds a lock that lets only one
 * process at a time, on any machine, work on a repository.
 */
@Injectable()
export class GitHousekeeping {
  private readonly logger = new Logger(GitHousekeeping.name);

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

  /** Returns whether the repository has enough files to slow git down, judging by two folders. */
  async isNeeded(folder: string): Promise<boolean> {
    const packs = (await namesIn(join(folder, 'objects/pack'))).filter((name) => name.endsWith('.pack'));
    if (packs.length > MAX_PACKS) return true;
    // Hashes are spread evenly over 256 folders.
    return (await namesIn(join(folder, 'objects/17'))).length * 256 > MAX_LOOSE;
  }

  /**
   * Moves the refs into one file, and syncs it: thousands of files of one ref each are slow to read, and slower to sync.
   * @returns whether it succeeded; a failure is logged
   */
  async packRefs(folder: string): Promise<boolean> {
    try {
      await this.git.run(['pack-refs', '--all'], {
        repository: folder,
        userId: NOBODY,
        timeoutMs: PACK_REFS_MS,
      });
      return true;
    } catch (error) {
      this.logger.warn({ err: error }, `The refs in ${folder} could not be packed`);
      return false;
    }
  }

  /**
   * Packs all objects and refs, and removes objects that have been unreachable for two weeks. Uses one core at low priority.
   * @returns false when another process is already doing it
   */
  async collect(folder: string, signal?: AbortSignal): Promise<boolean> {
    const config = {
      'gc.pruneExpire': UNREACHABLE,
      // Keeps unreachable objects in one pack rather than in thousands of files.
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

/** Removes entries with a matching name that have not changed since a time. Does not follow links. */
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
    // The lock has been released.
    if (isMissing(error)) return { mtimeMs: Infinity };
    throw error;
  });
  if (mtimeMs < before) await rm(path, { recursive: true, force: true });
}
