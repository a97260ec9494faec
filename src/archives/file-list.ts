import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { type ArchivedFile } from './data/archived-rows';

const BATCH_BYTES = 64 * 1024;

/**
 * The files of an archive, listed on disk beside it: their contents are copied after the snapshot that names them has been closed, which
 * would otherwise stay open as long as the copies take.
 */
export class FileList {
  private pending = '';

  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
  ) {}

  /** @param archive path of the archive */
  static async open(archive: string): Promise<FileList> {
    const path = `${archive}.${randomUUID()}.files`;
    return new FileList(path, await open(path, 'wx', 0o600));
  }

  async add({ id, storageKey, size }: ArchivedFile): Promise<void> {
    this.pending += `${id} ${storageKey} ${size}\n`;
    if (this.pending.length >= BATCH_BYTES) await this.flush();
  }

  /** Yields the files in the order in which they were added. */
  async *read(): AsyncGenerator<ArchivedFile> {
    await this.flush();
    for await (const line of createInterface({ input: createReadStream(this.path) })) {
      const [id, storageKey = '', size] = line.split(' ');
      yield { id: Number(id), storageKey, size: Number(size) };
    }
  }

  /** Removes the list. */
  async close(): Promise<void> {
    await this.file.close();
    await rm(this.path, { force: true });
  }

  private async flush(): Promise<void> {
    const { pending } = this;
    this.pending = '';
    if (pending !== '') await this.file.write(pending);
  }
}
