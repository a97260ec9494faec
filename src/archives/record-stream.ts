import { BackupError } from '../backup/backup.error';
import { MIGRATION_NAMES } from '../backup/data/expected-tables';
import { openWhole } from '../backup/open-whole';
import { type Environment } from '../config/environment';
import { readMigrations } from '../database/schema/tables';
import { type Snapshot } from '../database/snapshot/snapshot';
import { counted } from '../quantities';
import { type ArchivedFile, ArchivedRows, findProjectIds } from './data/archived-rows';
import { type ArchivedRecord, type RecordKind, recordKinds, toRecord } from './record-kinds';

/** The records of projects at one moment, read from the database. The service may run meanwhile and is not blocked. */
export class RecordStream {
  private constructor(
    readonly snapshot: Snapshot,
    /** In the order of an archive: records refer only to earlier kinds, and to their own. */
    readonly kinds: readonly RecordKind[],
    private readonly rows: ArchivedRows,
  ) {}

  /**
   * Opens the records; they must be closed.
   * @param projects keys; all projects by default
   * @throws BackupError if there is no such project, or the database does not have the schema of this version
   */
  static async open(
    environment: Environment,
    projects: readonly string[] | undefined,
  ): Promise<RecordStream> {
    const snapshot = await openWhole(environment);
    try {
      await requireCurrent(snapshot);
      const kinds = await recordKinds();
      const rows = new ArchivedRows(snapshot, kinds, projects && (await idsOf(snapshot, projects)));
      return new RecordStream(snapshot, kinds, rows);
    } catch (error) {
      await snapshot.close();
      throw error;
    }
  }

  /** Yields the records of a kind, in the order of their keys. */
  async *records(kind: RecordKind): AsyncGenerator<ArchivedRecord> {
    for await (const row of this.rows.rows(kind, kind.columns)) yield toRecord(kind, row);
  }

  /** Yields the files of the records of attachments, in the order of their ids. */
  files(): AsyncGenerator<ArchivedFile> {
    return this.rows.files(this.kind('attachment'));
  }

  /** Returns the ids of the records of a kind. */
  ids(kind: string): Promise<Set<number>> {
    return this.rows.ids(this.kind(kind));
  }

  close(): Promise<void> {
    return this.snapshot.close();
  }

  private kind(name: string): RecordKind {
    return this.kinds.find((kind) => kind.name === name) as RecordKind;
  }
}

/** @throws BackupError if the database does not have the schema of this version, which the format describes */
async function requireCurrent(snapshot: Snapshot): Promise<void> {
  const applied = new Set(await readMigrations(snapshot, snapshot.isEmbedded));
  const missing = MIGRATION_NAMES.filter((name) => !applied.delete(name)).length;
  if (applied.size > 0)
    throw new BackupError('A newer version has migrated the database: export it with that version.');
  if (missing > 0)
    throw new BackupError(
      `The database lacks ${counted(missing, 'migration')} of this version: run pms migrate, or start the service.`,
    );
}

async function idsOf(snapshot: Snapshot, keys: readonly string[]): Promise<number[]> {
  const ids = await findProjectIds(snapshot, keys);
  const missing = keys.filter((key) => !ids.has(key));
  if (missing.length > 0) throw new BackupError(`There is no project ${missing.join(', ')}.`);
  return [...ids.values()].sort((one, other) => one - other);
}
