import { constants, createWriteStream, type Stats } from 'node:fs';
import { access, lstat, open, readdir, rename, unlink, utimes } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { makeSyncedFolder, syncFolder } from '../synced-folders';
import {
  FileStorage,
  isKey,
  objectName,
  ORPHAN_DAYS,
  StorageFailedError,
  type StoredFile,
} from './file-storage';

const PROBE = Buffer.alloc(4096);
/** Entries in the top folder of a new file system. */
const IGNORED_ENTRIES = new Set(['lost+found']);

/** Stores files in a local folder: `STORAGE_URL=file:PATH`. */
export class LocalFileStorage extends FileStorage {
  private readonly folder: string;
  /** Created only at startup: if it is missing, the storage is unavailable, for example because a volume is not mounted. */
  private readonly partialFolder: string;
  private readonly orphanFolder: string;

  constructor(path: string) {
    super();
    this.folder = resolve(path);
    this.partialFolder = join(this.folder, 'partial');
    this.orphanFolder = join(this.folder, 'orphans');
  }

  override async prepare(isInUse: boolean): Promise<void> {
    if (isInUse && (await this.isEmpty())) {
      throw new Error(
        `The database has files, but the folder ${this.folder} of STORAGE_URL is missing or empty. Mount or restore it; ` +
          'to continue without the files, create a file named .keep in it.',
      );
    }
    try {
      await makeSyncedFolder(this.partialFolder);
      await this.probe();
    } catch (error) {
      const { message } = error as Error;
      throw new Error(`Files cannot be stored in the folder ${this.folder} of STORAGE_URL: ${message}.`, {
        cause: error,
      });
    }
  }

  override check(): Promise<void> {
    return access(this.partialFolder);
  }

  override async probe(): Promise<void> {
    // Uses a fixed name, so that killed processes leave at most one file.
    const path = join(this.partialFolder, 'probe');
    const file = await open(path, 'w');
    try {
      await file.write(PROBE);
      await file.sync();
    } finally {
      await file.close();
      await removeFile(path);
    }
  }

  override async write(key: string, content: Readable): Promise<number> {
    const path = await this.path(key);
    const partial = this.partialPath(key);
    try {
      // `flush` makes the file durable before it gets its final name.
      const file = createWriteStream(partial, { flags: 'wx', flush: true });
      await pipeline(content, file);
      await makeSyncedFolder(dirname(path));
      await rename(partial, path);
      await syncFolder(dirname(path));
      return file.bytesWritten;
    } catch (error) {
      await this.remove(key).catch(() => undefined);
      throw error;
    }
  }

  override async read(key: string): Promise<Readable> {
    const file = await open(await this.path(key), constants.O_RDONLY | constants.O_NOFOLLOW);
    return file.createReadStream();
  }

  override async remove(key: string): Promise<void> {
    // A file on an unmounted volume still exists.
    await this.check();
    if (!isKey(key)) return;
    await removeFile(this.partialPath(key));
    await removeFile(await this.path(key));
  }

  override async putAside(key: string): Promise<void> {
    if (!(await this.find(key))) return this.remove(key);
    const path = await this.path(key);
    const orphan = join(this.orphanFolder, key);
    await makeSyncedFolder(this.orphanFolder, 0o700);
    // Set before the move: after a kill between both, the file is merely looked at again later.
    const now = Date.now() / 1000;
    await utimes(path, now, now);
    await rename(path, orphan);
    await syncFolder(this.orphanFolder);
  }

  override async removeOrphans(now = Date.now()): Promise<void> {
    for (const key of await namesIn(this.orphanFolder)) {
      const found = isKey(key) ? await statOf(join(this.orphanFolder, key)) : undefined;
      if (found && now - found.mtimeMs >= ORPHAN_DAYS * 86_400_000) {
        await removeFile(join(this.orphanFolder, key));
      }
    }
  }

  override async size(key: string): Promise<number | undefined> {
    return (await this.find(key))?.size;
  }

  override async writtenAt(key: string): Promise<number | undefined> {
    const found = await this.find(key);
    return (found ?? (isKey(key) ? await statOf(this.partialPath(key)) : undefined))?.mtimeMs;
  }

  override async *list(): AsyncGenerator<StoredFile> {
    for (const folder of await readdir(this.folder)) {
      if (!/^[\da-f]{2}$/.test(folder)) continue;
      await throwIfSymbolicLink(join(this.folder, folder));
      for (const key of await readdir(join(this.folder, folder))) {
        if (!isKey(key) || !key.startsWith(folder)) continue;
        const size = await this.size(key);
        if (size !== undefined) yield { key, size };
      }
    }
  }

  override async *listIncomplete(): AsyncGenerator<StoredFile> {
    for (const key of await readdir(this.partialFolder)) {
      if (!isKey(key)) continue;
      const found = await statOf(this.partialPath(key));
      if (found) yield { key, size: found.size };
    }
  }

  private async find(key: string): Promise<Stats | undefined> {
    try {
      return await lstat(await this.path(key));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  private async isEmpty(): Promise<boolean> {
    try {
      return (await readdir(this.folder)).every((name) => IGNORED_ENTRIES.has(name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
      // The probe reports any other error.
      return false;
    }
  }

  /**
   * Returns the path of a file, which is inside the folder.
   * @throws NoFileError for what is not a key, StorageFailedError for a symbolic link
   */
  private async path(key: string): Promise<string> {
    const path = join(this.folder, objectName(key));
    await throwIfSymbolicLink(dirname(path));
    await throwIfSymbolicLink(path);
    return path;
  }

  private partialPath(key: string): string {
    return join(this.partialFolder, key);
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function throwIfSymbolicLink(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSymbolicLink())
    throw new StorageFailedError(`${path} is a symbolic link, which is not followed.`);
}

async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    // A read-only file system also reports this error for missing files.
    if (await exists(path)) throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}
