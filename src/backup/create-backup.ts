import { type FileStorage } from '../attachments/file-storage';
import { type Environment } from '../config/environment';
import { VERSION } from '../config/version';
import { readTables, type Table } from '../database/schema/tables';
import { type Snapshot } from '../database/snapshot/snapshot';
import { storedKeys } from '../encryption/encryption-keys';
import { writeArchive } from './archive/archive-file';
import { tarEnd, tarEntry } from './archive/tar';
import { readBackedUpSchema } from './data/backed-up-schema';
import { FileEntries } from './file-entries';
import { type BackupHead, type BackupManifest, ENTRIES, FORMAT, rowsEntry } from './format';
import { openWhole } from './open-whole';
import { RepositoryEntries } from './repository-entries';
import { type Progress } from './progress';
import { tableLines } from './table-lines';

/** Options of a backup. */
export interface BackupOptions {
  environment: Environment;
  storage: FileStorage;
  /** Path of the archive. */
  path: string;
  /** Encrypts the archive. */
  passphrase?: string;
  /** Omits the encryption key. */
  isWithoutKey?: boolean;
  /** Omits the git repositories. */
  isWithoutRepositories?: boolean;
  onProgress?: (progress: Progress) => void;
  /** Aborts the backup, which leaves nothing behind. */
  signal?: AbortSignal;
}

/** Contents of a completed backup. */
export interface BackupSummary {
  /** Size of the archive. */
  bytes: number;
  tables: number;
  /** Names of tables in the database that do not belong to the service, which are left out. */
  foreignTables: string[];
  rows: number;
  files: number;
  fileBytes: number;
  /** Ids of attachments that are missing from the storage. */
  lostFiles: number[];
  repositories: number;
  repositoryBytes: number;
  /** Ids of git repositories with missing folders. */
  lostRepositories: number[];
  hasKey: boolean;
  isEncrypted: boolean;
}

/**
 * Writes all data of the service to one archive: rows, files, git repositories and the encryption key. The service may run concurrently and
 * is not blocked. Memory does not grow with the amount of data.
 * @throws BackupError
 */
export async function createBackup(options: BackupOptions): Promise<BackupSummary> {
  const { path, passphrase, signal } = options;
  const writer = new BackupWriter(options);
  const { bytes } = await writeArchive(path, writer.entries(), { passphrase, signal });
  return { ...writer.summary(), bytes, isEncrypted: passphrase !== undefined };
}

class BackupWriter {
  private readonly created = new Date();
  private readonly manifest: BackupManifest = {
    tables: {},
    files: { count: 0, bytes: 0, sha256: '', superfluous: [], lost: [] },
  };
  private hasKey = false;
  private foreignTables: string[] = [];

  constructor(private readonly options: BackupOptions) {}

  summary(): Omit<BackupSummary, 'bytes' | 'isEncrypted'> {
    const { tables, files, repositories } = this.manifest;
    const contents = Object.values(tables);
    return {
      tables: contents.length,
      foreignTables: this.foreignTables,
      rows: contents.reduce((sum, { rows }) => sum + rows, 0),
      files: files.count - files.superfluous.length,
      fileBytes: files.bytes,
      lostFiles: files.lost,
      repositories: repositories?.count ?? 0,
      repositoryBytes: repositories?.bytes ?? 0,
      lostRepositories: repositories?.lost ?? [],
      hasKey: this.hasKey,
    };
  }

  async *entries(): AsyncGenerator<Buffer> {
    const {
      environment,
      storage,
      isWithoutKey = false,
      isWithoutRepositories = false,
      onProgress,
    } = this.options;
    const open = (): Promise<Snapshot> => openWhole(environment);
    yield* this.head(open);
    const keys = isWithoutKey ? undefined : storedKeys(environment);
    if (keys) {
      this.hasKey = true;
      const text = keys.keys.map((key) => key.toString('base64')).join(',');
      yield* tarEntry(ENTRIES.key, Buffer.from(`${text}\n`), this.created);
    }
    const files = new FileEntries(storage, this.created, (count, bytes) =>
      onProgress?.({ step: 'files', done: count, bytes }),
    );
    const repositories = new RepositoryEntries(
      environment,
      { modified: this.created, isLeftOut: isWithoutRepositories, purpose: 'back up' },
      (count, bytes) => onProgress?.({ step: 'repositories', done: count, bytes }),
    );
    const { snapshot, files: written } = yield* files.write(open);
    this.manifest.files = written;
    try {
      if (await hasRepositories(snapshot)) await repositories.list(snapshot);
      yield* this.rows(snapshot);
    } finally {
      await snapshot.close();
    }
    this.manifest.repositories = yield* repositories.write(open);
    yield* tarEntry(ENTRIES.manifest, toJson(this.manifest), this.created);
    yield tarEnd();
  }

  private async *head(open: () => Promise<Snapshot>): AsyncGenerator<Buffer> {
    const snapshot = await open();
    const { engine } = snapshot;
    await snapshot.close();
    const head: BackupHead = {
      format: FORMAT,
      version: VERSION,
      created: this.created.toISOString(),
      engine,
    };
    yield* tarEntry(ENTRIES.head, toJson(head), this.created);
  }

  private async *rows(snapshot: Snapshot): AsyncGenerator<Buffer> {
    const { schema, foreignTables } = await readBackedUpSchema(snapshot);
    this.foreignTables = foreignTables;
    yield* tarEntry(ENTRIES.schema, toJson(schema), this.created);
    let rows = 0;
    for (const table of schema.tables) {
      const digest = yield* this.table(snapshot, table, (count) => {
        rows += count;
        this.options.onProgress?.({ step: 'rows', done: rows });
      });
      const lastId = await snapshot.lastId(table.name);
      // Only for a table that has ever had a row: for others, the embedded database has no value and a server has 0.
      this.manifest.tables[table.name] = { ...digest, ...(lastId && { lastId }) };
    }
  }

  private async *table(snapshot: Snapshot, table: Table, written: (rows: number) => void) {
    const parts = tableLines(snapshot, table);
    for (let number = 1; ; number++) {
      const { value, done } = await parts.next();
      if (done) return value;
      yield* tarEntry(rowsEntry(table.name, number), value.lines, this.created);
      written(value.rows);
    }
  }
}

/** Databases of older versions contain only the names of repositories. */
async function hasRepositories(snapshot: Snapshot): Promise<boolean> {
  const isOfRepositories = (name: string): boolean => name === 'removed_git_repository';
  return (await readTables(snapshot, snapshot.isEmbedded, isOfRepositories)).length > 0;
}

const toJson = (value: object): Buffer => Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`);
