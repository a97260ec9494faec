import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment';

/** Where the bytes of files are kept, under keys that say nothing of their names. */
export abstract class FileStorage {
  /** A key that no file has. */
  newKey(): string {
    return randomUUID();
  }

  /**
   * Stores a stream under a key; whole and on disk when it resolves, not there at all when it rejects.
   * @returns its size in bytes
   */
  abstract write(key: string, content: Readable): Promise<number>;

  /**
   * Opens what is under a key. Whoever asks reads it to its end or destroys it.
   * @throws when nothing is there
   */
  abstract read(key: string): Promise<Readable>;

  /** Removes what is under a key, half-written or whole; nothing there is no error. */
  abstract remove(key: string): Promise<void>;
}

/** Files in a folder of this machine: `STORAGE_URL=file:PATH`. */
@Injectable()
export class LocalFileStorage extends FileStorage {
  private readonly folder: string;

  constructor(environment: Environment) {
    super();
    this.folder = resolve(environment.STORAGE_URL.slice('file:'.length));
  }

  override async write(key: string, content: Readable): Promise<number> {
    const partial = this.partialPath(key);
    const path = this.path(key);
    try {
      await mkdir(dirname(partial), { recursive: true });
      await mkdir(dirname(path), { recursive: true });
      // `flush` makes the file durable before it gets its final name.
      const file = createWriteStream(partial, { flags: 'wx', flush: true });
      await pipeline(content, file);
      await rename(partial, path);
      await syncFolder(dirname(path));
      return file.bytesWritten;
    } catch (error) {
      await this.remove(key);
      throw error;
    }
  }

  override async read(key: string): Promise<Readable> {
    const file = await open(this.path(key), 'r');
    return file.createReadStream();
  }

  override async remove(key: string): Promise<void> {
    await rm(this.partialPath(key), { force: true });
    await rm(this.path(key), { force: true });
  }

  private path(key: string): string {
    return join(this.folder, key.slice(0, 2), key);
  }

  private partialPath(key: string): string {
    return join(this.folder, 'partial', key);
  }
}

/** Makes a rename durable; not every platform can open a folder. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
