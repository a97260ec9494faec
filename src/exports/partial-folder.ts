import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from '../synced-folders';
import { BackupError } from '../backup/backup.error';
import { exists } from '../errors/missing-file';

const CONTENT = 'content';
const DATABASE = 'build.db';
/** What an export leaves when it is killed. */
const LEFTOVERS = new Set([CONTENT, ...['', '-journal', '-wal', '-shm'].map((end) => DATABASE + end)]);

/**
 * A folder that has its name only when it is complete. Before, it is in `NAME.partial`, beside what is needed to make it; a killed process
 * leaves that, and the next one that writes the same folder removes it.
 */
export class PartialFolder {
  private constructor(
    private readonly path: string,
    private readonly partial: string,
  ) {}

  /** @throws BackupError if the folder exists, or `NAME.partial` is something else */
  static async open(path: string): Promise<PartialFolder> {
    const partial = `${path}.partial`;
    await removeLeftovers(partial);
    if (await exists(path))
      throw new BackupError(`${path} already exists: choose another name, or remove it.`);
    const folder = new PartialFolder(path, partial);
    await mkdir(partial, { mode: 0o700 });
    await mkdir(folder.content, { mode: 0o700 });
    return folder;
  }

  /** The folder for the content. */
  get content(): string {
    return join(this.partial, CONTENT);
  }

  /** The path for a database that is not part of the content. */
  get database(): string {
    return join(this.partial, DATABASE);
  }

  /** Gives the content its name. */
  async complete(): Promise<void> {
    await rename(this.content, this.path);
    await syncFolder(dirname(this.path));
    await this.remove();
  }

  /** Removes what is not complete. */
  async remove(): Promise<void> {
    await rm(this.partial, { recursive: true, force: true });
  }
}

async function removeLeftovers(partial: string): Promise<void> {
  if (!(await exists(partial))) return;
  const isFolder = (await lstat(partial)).isDirectory();
  if (!isFolder || (await readdir(partial)).some((name) => !LEFTOVERS.has(name)))
    throw new BackupError(`${partial} was not left by an export: remove it, or choose another name.`);
  await rm(partial, { recursive: true });
}
