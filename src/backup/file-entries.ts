import { createHash, type Hash } from 'node:crypto';
import { type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FileStorage } from '../attachments/file-storage';
import { STORED_FILES, type StoredContent } from '../attachments/data/stored-files';
import { type Snapshot } from '../database/snapshot/snapshot';
import { tarStream, type WrittenContent } from './archive/tar';
import { type BackupManifest, fileEntry, fileLine } from './format';

/** Number of snapshots after which a file that still has a row but is missing from the storage counts as lost. */
const SNAPSHOTS = 5;
const PAUSE_MS = 500;

/** Writes the files referenced by rows into an archive. */
export class FileEntries {
  private readonly copied = new Set<number>();
  private readonly damaged = new Set<number>();
  private readonly hash: Hash = createHash('sha256');
  private count = 0;
  private bytes = 0;

  /** @param progress called for each file */
  constructor(
    private readonly storage: FileStorage,
    private readonly modified: Date,
    private readonly progress: (files: number, bytes: number) => void,
  ) {}

  /**
   * Writes all files and returns a snapshot that references only files in the archive. A file may be removed between the snapshot that
   * references it and its turn. Therefore, the rows of the backup come from a later snapshot than the one from which most files were
   * copied: only files uploaded in between are still missing, and these are copied within moments. If one of them is gone, another snapshot
   * is taken, which no longer references it.
   */
  async *write(
    open: () => Promise<Snapshot>,
  ): AsyncGenerator<Buffer, { snapshot: Snapshot; files: BackupManifest['files'] }> {
    for (let attempt = 0; ; attempt++) {
      const snapshot = await open();
      try {
        const missing = yield* this.copyMissing(snapshot);
        // The first snapshot became outdated while the files were copied.
        const isComplete = attempt > 0 && missing.length === 0;
        if (isComplete || attempt === SNAPSHOTS)
          return { snapshot, files: await this.summary(snapshot, missing) };
        await snapshot.close();
        if (missing.length > 0) await sleep(PAUSE_MS);
      } catch (error) {
        await snapshot.close();
        throw error;
      }
    }
  }

  /** Copies the files that are not in the archive yet. @returns the ids of files that are missing from the storage */
  private async *copyMissing(snapshot: Snapshot): AsyncGenerator<Buffer, number[]> {
    const missing: number[] = [];
    for await (const row of snapshot.stream(STORED_FILES)) {
      const { id, storageKey, size } = row as unknown as StoredContent;
      const file = { id, storageKey, size };
      if (this.copied.has(file.id)) continue;
      const content = await this.open(storageKey);
      if (!content) {
        missing.push(file.id);
        continue;
      }
      const { sha256, isComplete } = yield* this.copy(file, content);
      this.copied.add(file.id);
      if (!isComplete) this.damaged.add(file.id);
      this.hash.update(fileLine({ ...file, sha256 }));
      this.progress(++this.count, (this.bytes += file.size));
    }
    return missing;
  }

  private async *copy(
    { id, storageKey, size }: StoredContent,
    content: Readable,
  ): AsyncGenerator<Buffer, WrittenContent> {
    try {
      return yield* tarStream(fileEntry(id, storageKey), size, content, this.modified);
    } finally {
      // The backup may be aborted before the first byte.
      content.destroy();
    }
  }

  private async open(storageKey: string): Promise<Readable | undefined> {
    try {
      return await this.storage.read(storageKey);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      // Makes sure that only the file is missing, and not the storage.
      await this.storage.check();
      return undefined;
    }
  }

  private async summary(snapshot: Snapshot, missing: readonly number[]): Promise<BackupManifest['files']> {
    const superfluous = new Set(this.copied);
    for await (const { id } of snapshot.stream(STORED_FILES)) superfluous.delete(Number(id));
    return {
      count: this.count,
      bytes: this.bytes,
      sha256: this.hash.digest('hex'),
      superfluous: [...superfluous],
      lost: [...missing, ...this.damaged].filter((id) => !superfluous.has(id)),
    };
  }
}
