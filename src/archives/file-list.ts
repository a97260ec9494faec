import { type FileHandle, open, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { type ArchivedFile } from './data/archived-rows';

const BATCH_BYTES = 64 * 1024;

/**
 * The files of an archive, listed on disk beside it: their contents are copied after the snapshot that names them has been closed, which
 * would otherwise stay open as long as the copies take. The list has no name while it is used, so that a killed process leaves nothing.
 */
export class FileList {
  private pending = '';

  private constructor(private readonly file: FileHandle) {}

  /** @param archive path of the archive */
  static async open(archive: string): Promise<FileList> {
    const path = `${archive}.files.partial`;
    // That of a process that was killed at this very place.
    await rm(path, { force: true });
    const file = await open(path, 'wx+', 0o600);
    await rm(path, { force: true });
    return new FileList(file);
  }

  async add({ id, storageKey, size }: ArchivedFile): Promise<void> {
    this.pending += `${id} ${storageKey} ${size}\n`;
    if (this.pending.length >= BATCH_BYTES) await this.flush();
  }

  /** Yields the files in the order in which they were added. */
  async *read(): AsyncGenerator<ArchivedFile> {
    await this.flush();
    const input = this.file.createReadStream({ start: 0, autoClose: false });
    for await (const line of createInterface({ input })) {
      const [id, storageKey = '', size] = line.split(' ');
      yield { id: Number(id), storageKey, size: Number(size) };
    }
  }

  /** Removes the list. */
  async close(): Promise<void> {
    await this.file.close();
  }

  private async flush(): Promise<void> {
    const { pending } = this;
    this.pending = '';
    if (pending !== '') await this.file.appendFile(pending);
  }
}
