import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type FileStorage } from '../attachments/file-storage';
import { BackupError } from './backup.error';
import { type ArchivedFile } from './verify-backup';

/** Writes files to the storage, which may already have them from a killed restore. */
export class RestoredFiles {
  private readonly written: string[] = [];

  constructor(private readonly storage: FileStorage) {}

  /** @throws BackupError if the storage has a different file of the same name */
  async refuseOther({ storageKey, sha256 }: ArchivedFile): Promise<void> {
    const existing = await this.digestOf(storageKey);
    if (existing === undefined || existing === sha256) return;
    throw new BackupError(
      `The storage of STORAGE_URL already has another file named ${storageKey}: use an empty storage.`,
    );
  }

  /** Stores a file that `refuseOther` has accepted. */
  async write(storageKey: string, size: number, content: AsyncIterable<Buffer>): Promise<void> {
    if ((await this.digestOf(storageKey)) !== undefined) return;
    // A killed restore leaves partially written files under their partial names.
    await this.storage.remove(storageKey);
    this.written.push(storageKey);
    const written = await this.storage.write(storageKey, Readable.from(content, { objectMode: false }));
    if (written !== size) throw new BackupError(`The file ${storageKey} was stored only in part.`);
  }

  /** Removes the files that this restore has written. */
  async abandon(): Promise<void> {
    for (const storageKey of this.written) await this.storage.remove(storageKey);
  }

  private async digestOf(storageKey: string): Promise<string | undefined> {
    try {
      const hash = createHash('sha256');
      for await (const chunk of await this.storage.read(storageKey)) hash.update(chunk as Buffer);
      return hash.digest('hex');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }
}
