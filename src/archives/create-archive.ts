import { createHash } from 'node:crypto';
import { type FileStorage } from '../attachments/file-storage';
import { writeArchive } from '../backup/archive/archive-file';
import { tarEnd } from '../backup/archive/tar';
import { openWhole } from '../backup/open-whole';
import { RepositoryEntries } from '../backup/repository-entries';
import { type Environment } from '../config/environment';
import { fileEntry, headOf, jsonEntry, newContents, NO_TIME, recordEntries } from './archive-entries';
import { ARCHIVE_ENTRIES, type ArchiveContents } from './archive-format';
import { type ArchivedFile } from './data/archived-rows';
import { FileList } from './file-list';
import { RecordStream } from './record-stream';

/** Options of an archive. */
export interface ArchiveOptions {
  environment: Environment;
  storage: FileStorage;
  /** Path of the archive, which must not exist yet. */
  path: string;
  /** The keys of the projects; all projects by default. */
  projects?: readonly string[];
  isWithoutRepositories?: boolean;
  /** Called with the number of records and files so far. */
  onProgress?: (done: number) => void;
  /** Aborts the archive, which leaves nothing behind. */
  signal?: AbortSignal;
}

/** Contents of a completed archive. */
export interface ArchiveSummary extends ArchiveContents {
  /** Size of the archive. */
  bytes: number;
}

/**
 * Writes projects with everything in them to one archive (`docs/format.md`). The records are those of one moment. The service may run
 * meanwhile and is not blocked, and memory does not grow with the amount of data.
 * @throws BackupError if the file exists, a project does not, migrations are missing, or git is
 */
export async function createArchive(options: ArchiveOptions): Promise<ArchiveSummary> {
  const writer = new ArchiveWriter(options);
  const { bytes } = await writeArchive(options.path, writer.entries(), { signal: options.signal });
  return { ...writer.contents, bytes };
}

class ArchiveWriter {
  readonly contents = newContents();
  private done = 0;

  constructor(private readonly options: ArchiveOptions) {}

  async *entries(): AsyncGenerator<Buffer> {
    const { environment, projects, isWithoutRepositories = false } = this.options;
    const repositories = new RepositoryEntries(
      environment,
      { modified: NO_TIME, isLeftOut: isWithoutRepositories, purpose: 'export' },
      () => this.progress(1),
    );
    const files = await FileList.open(this.options.path);
    try {
      const stream = await RecordStream.open(environment, projects);
      try {
        yield* jsonEntry(ARCHIVE_ENTRIES.head, headOf(projects));
        for (const kind of stream.kinds) {
          const records = stream.records(kind);
          yield* recordEntries(this.contents, kind, records, (count) => this.progress(count));
        }
        for await (const file of stream.files()) await files.add(file);
        await repositories.list(stream.snapshot, await stream.ids('gitRepository'));
      } finally {
        await stream.close();
      }
      yield* this.files(files.read());
    } finally {
      await files.close();
    }
    this.contents.repositories = yield* repositories.write(() => openWhole(environment));
    yield* jsonEntry(ARCHIVE_ENTRIES.contents, this.contents);
    yield tarEnd();
  }

  /** Writes the contents of files, which never change. One that is gone has been removed with its owner since the rows were read. */
  private async *files(listed: AsyncIterable<ArchivedFile>): AsyncGenerator<Buffer> {
    const { storage } = this.options;
    const { files } = this.contents;
    const hash = createHash('sha256');
    for await (const { id, storageKey, size } of listed) {
      const content = await storage.read(storageKey).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      });
      if (!content) {
        files.lost.push(id);
        continue;
      }
      yield* fileEntry(this.contents, hash, { id, size }, content);
      this.progress(1);
    }
    files.sha256 = hash.digest('hex');
  }

  private progress(added: number): void {
    this.options.onProgress?.((this.done += added));
  }
}
