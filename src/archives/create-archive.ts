import { createHash } from 'node:crypto';
import { type FileStorage } from '../attachments/file-storage';
import { writeArchive } from '../backup/archive/archive-file';
import { tarEnd, tarEntry, tarStream } from '../backup/archive/tar';
import { BackupError } from '../backup/backup.error';
import { openWhole } from '../backup/open-whole';
import { RepositoryEntries } from '../backup/repository-entries';
import { linesOf } from '../backup/table-lines';
import { type Environment } from '../config/environment';
import { readForeignKeys } from '../database/schema/foreign-keys';
import { readTables, type Table } from '../database/schema/tables';
import { type PortableRow, type Snapshot } from '../database/snapshot/snapshot';
import { toColumnName } from '../database/sql/statements';
import { archiveKinds, jsonColumns, type Kind, toProperty } from './archive-kinds';
import {
  ARCHIVE_ENTRIES,
  ARCHIVE_FORMAT,
  type ArchiveContents,
  archivedFileEntry,
  type ArchiveHead,
  recordsEntry,
} from './archive-format';
import { ArchivedRows, findProjectIds } from './data/archived-rows';

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

/** The entries have no times, so that archives of the same data are the same. */
const NO_TIME = new Date(0);

/**
 * Writes projects with everything in them to one archive (`docs/format.md`). The records are those of one moment. The service may run
 * meanwhile and is not blocked, and memory does not grow with the amount of data.
 * @throws BackupError if the file exists, a project does not, or git is missing
 */
export async function createArchive(options: ArchiveOptions): Promise<ArchiveSummary> {
  const writer = new ArchiveWriter(options);
  const { bytes } = await writeArchive(options.path, writer.entries(), { signal: options.signal });
  return { ...writer.contents, bytes };
}

class ArchiveWriter {
  readonly contents: ArchiveContents = {
    records: {},
    files: { count: 0, bytes: 0, sha256: '', lost: [] },
    repositories: { count: 0, bytes: 0, sha256: '', lost: [] },
  };
  private done = 0;

  constructor(private readonly options: ArchiveOptions) {}

  async *entries(): AsyncGenerator<Buffer> {
    const { environment, projects, isWithoutRepositories = false } = this.options;
    const open = (): Promise<Snapshot> => openWhole(environment);
    const repositories = new RepositoryEntries(environment, NO_TIME, isWithoutRepositories, () =>
      this.progress(1),
    );
    const snapshot = await open();
    try {
      const kinds = archiveKinds(await readForeignKeys(snapshot, snapshot.isEmbedded));
      const rows = new ArchivedRows(snapshot, kinds, projects && (await idsOf(snapshot, projects)));
      const head: ArchiveHead = {
        type: 'project-archive',
        format: ARCHIVE_FORMAT,
        ...(projects && { projects: [...projects].sort() }),
      };
      yield* entry(ARCHIVE_ENTRIES.head, head);
      const tables = new Map(
        (await readTables(snapshot, snapshot.isEmbedded)).map((table) => [table.name, table]),
      );
      for (const kind of kinds) yield* this.records(kind, tables, rows);
      yield* this.files(rows, kindOf(kinds, 'attachment'));
      await repositories.list(snapshot, await rows.ids(kindOf(kinds, 'gitRepository')));
    } finally {
      await snapshot.close();
    }
    this.contents.repositories = yield* repositories.write(open);
    yield* entry(ARCHIVE_ENTRIES.contents, this.contents);
    yield tarEnd();
  }

  private async *records(
    kind: Kind,
    tables: ReadonlyMap<string, Table>,
    rows: ArchivedRows,
  ): AsyncGenerator<Buffer> {
    const table = columnsOf(kind, tables.get(kind.table));
    const json = jsonColumns(
      kind,
      table.columns.map(({ name }) => name),
    );
    const parts = linesOf(recordsOf(rows.rows(kind, table), json));
    for (let part = 1; ; part++) {
      const { value, done } = await parts.next();
      if (done) {
        this.contents.records[kind.name] = { count: value.rows, sha256: value.sha256 };
        return;
      }
      yield* tarEntry(recordsEntry(kind.name, part), value.lines, NO_TIME);
      this.progress(value.rows);
    }
  }

  private async *files(rows: ArchivedRows, attachments: Kind): AsyncGenerator<Buffer> {
    const { storage } = this.options;
    const { files } = this.contents;
    const hash = createHash('sha256');
    for await (const { id, storageKey, size } of rows.files(attachments)) {
      const content = await storage.read(storageKey).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      });
      if (!content) {
        files.lost.push(id);
        continue;
      }
      try {
        const written = yield* tarStream(archivedFileEntry(id), size, content, NO_TIME);
        if (!written.isComplete) files.lost.push(id);
        hash.update(`${id} ${size} ${written.sha256}\n`);
      } finally {
        content.destroy();
      }
      files.count++;
      files.bytes += size;
      this.progress(1);
    }
    files.sha256 = hash.digest('hex');
  }

  private progress(added: number): void {
    this.options.onProgress?.((this.done += added));
  }
}

/** Returns a table with the columns of its records. */
function columnsOf({ table: name, only = {}, without = [] }: Kind, table: Table | undefined): Table {
  if (!table) throw new BackupError(`The database has no table ${name}: run pms migrate.`);
  const left = new Set([...Object.keys(only), ...without].map(toColumnName));
  return { ...table, columns: table.columns.filter((column) => !left.has(column.name)) };
}

async function* recordsOf(
  rows: AsyncIterable<PortableRow>,
  json: ReadonlySet<string>,
): AsyncGenerator<object> {
  for await (const row of rows) {
    yield Object.fromEntries(
      Object.entries(row).map(([column, value]) => [
        toProperty(column),
        json.has(column) && value !== null ? (JSON.parse(value as string) as unknown) : value,
      ]),
    );
  }
}

async function idsOf(snapshot: Snapshot, keys: readonly string[]): Promise<number[]> {
  const ids = await findProjectIds(snapshot, keys);
  const missing = keys.filter((key) => !ids.has(key));
  if (missing.length > 0) throw new BackupError(`There is no project ${missing.join(', ')}.`);
  return [...ids.values()].sort((one, other) => one - other);
}

const kindOf = (kinds: readonly Kind[], name: string): Kind =>
  kinds.find((kind) => kind.name === name) as Kind;

const entry = (name: string, value: object): Generator<Buffer> =>
  tarEntry(name, Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`), NO_TIME);
