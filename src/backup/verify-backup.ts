import { createHash, type Hash } from 'node:crypto';
import { isEncryptionKey, parseKeys } from '../encryption/encryption-keys';
import { readArchive } from './archive/archive-file';
import { type TarEntry } from './archive/tar';
import { BackupError, DamagedBackupError } from './backup.error';
import { expectedTables, type ExpectedTable, findDifferent, MIGRATION_NAMES } from './data/expected-tables';
import { type BackupHead, type BackupManifest, ENTRIES, fileLine } from './format';
import { parseHead, parseManifest, parseRepository, parseSchema } from './parse-entries';
import { type Progress } from './progress';
import { RepositoryCheck } from './repository-check';

/** Metadata of a complete and intact archive. */
export interface VerifiedBackup {
  head: BackupHead;
  /** Empty if the archive has none. */
  keys: Buffer[];
  /** Names of the migrations that had run: the first of this version's. */
  migrations: readonly string[];
  /** Its tables, which are those that these migrations create. */
  tables: ReadonlyMap<string, ExpectedTable>;
  manifest: BackupManifest;
}

/** A file in an archive. */
export interface ArchivedFile {
  id: number;
  storageKey: string;
  size: number;
  sha256: string;
}

const MAX_SHOWN = 100;
/** Maximum size of an entry that is kept in memory; a part of rows has 4 MiB, plus up to one row of 16 MiB. */
const MAX_TEXT_BYTES = 128 * 1024 * 1024;

/**
 * Reads an archive to its end and compares everything with its manifest and with the schema of its version, like a request from a
 * stranger. Writes nothing.
 * @param onFile called with each file
 * @param onRepository called with the id of each git repository
 * @throws BackupError if it is not a backup, is damaged or truncated, or has a newer format
 */
export async function verifyBackup(
  path: string,
  {
    passphrase,
    onFile,
    onRepository,
    onProgress,
  }: {
    passphrase?: string;
    onFile?: (file: ArchivedFile) => Promise<void>;
    onRepository?: (id: number) => Promise<void>;
    onProgress?: (progress: Progress) => void;
  } = {},
): Promise<VerifiedBackup> {
  const verification = new Verification(onFile, onRepository, onProgress);
  for await (const entry of readArchive(path, passphrase)) await verification.read(entry);
  return verification.result();
}

/** Returns the text of an entry. @throws DamagedBackupError if it is longer than any that the service writes */
export async function entryText(entry: TarEntry): Promise<string> {
  if (entry.size > MAX_TEXT_BYTES) throw new DamagedBackupError('it has an entry that is too long');
  const chunks: Buffer[] = [];
  for await (const chunk of entry.content()) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

class Verification {
  private head?: BackupHead;
  private keys: Buffer[] = [];
  private migrations: readonly string[] = [];
  private tables?: ReadonlyMap<string, ExpectedTable>;
  private manifest?: BackupManifest;
  private readonly contents = new Map<string, { hash: Hash; rows: number; parts: number }>();
  private readonly fileHash = createHash('sha256');
  private readonly repositoryCheck = new RepositoryCheck();
  private files = 0;
  private rows = 0;
  private repositories = 0;

  constructor(
    private readonly onFile?: (file: ArchivedFile) => Promise<void>,
    private readonly onRepository?: (id: number) => Promise<void>,
    private readonly onProgress?: (progress: Progress) => void,
  ) {}

  async read(entry: TarEntry): Promise<void> {
    if (this.manifest) throw new DamagedBackupError('it has data after its end');
    if (!this.head) {
      if (entry.path !== ENTRIES.head)
        throw new DamagedBackupError('its first entry does not describe a backup');
      this.head = parseHead(await entryText(entry));
      return;
    }
    const [, id, storageKey] = ENTRIES.file.exec(entry.path) ?? [];
    const [, table, part] = ENTRIES.rows.exec(entry.path) ?? [];
    const [, bundled, bundlePart] = ENTRIES.bundle.exec(entry.path) ?? [];
    const [, repository] = ENTRIES.repository.exec(entry.path) ?? [];
    if (id !== undefined && storageKey !== undefined) await this.readFile(entry, Number(id), storageKey);
    else if (table !== undefined) await this.readRows(entry, table, Number(part));
    else if (bundled !== undefined) await this.readBundle(entry, Number(bundled), Number(bundlePart));
    else if (repository !== undefined) await this.readRepository(entry, Number(repository));
    else if (entry.path === ENTRIES.key) this.keys = toKeys(await entryText(entry));
    else if (entry.path === ENTRIES.schema) await this.readSchema(await entryText(entry), this.head);
    else if (entry.path === ENTRIES.manifest) this.manifest = parseManifest(await entryText(entry));
    else throw new DamagedBackupError('it has an entry with an unknown name');
  }

  result(): VerifiedBackup {
    const { head, keys, migrations, tables, manifest } = this;
    if (!head || !tables || !manifest) throw new DamagedBackupError('it ends early');
    for (const name of new Set([...tables.keys(), ...Object.keys(manifest.tables)])) {
      const found = this.contents.get(name);
      const sha256 = (found?.hash ?? createHash('sha256')).copy().digest('hex');
      const written = manifest.tables[name];
      if (!written || !tables.has(name) || written.rows !== (found?.rows ?? 0) || written.sha256 !== sha256) {
        throw new DamagedBackupError(`the rows of ${printable(name)} are not those that were written`);
      }
    }
    if (manifest.files.count !== this.files || manifest.files.sha256 !== this.fileHash.digest('hex')) {
      throw new DamagedBackupError('its files are not those that were written');
    }
    this.repositoryCheck.compare(manifest.repositories);
    return { head, keys, migrations, tables, manifest };
  }

  private async readFile(entry: TarEntry, id: number, storageKey: string): Promise<void> {
    const hash = createHash('sha256');
    for await (const chunk of entry.content()) hash.update(chunk);
    const file = { id, storageKey, size: entry.size, sha256: hash.digest('hex') };
    this.fileHash.update(fileLine(file));
    this.files++;
    this.report();
    await this.onFile?.(file);
  }

  private async readSchema(text: string, { version }: BackupHead): Promise<void> {
    if (this.tables) throw new DamagedBackupError('it has two schemas');
    const schema = parseSchema(text);
    const applied = new Set(schema.migrations);
    if (!schema.migrations.every((name) => MIGRATION_NAMES.includes(name))) {
      throw new BackupError(
        `The backup was made by version ${version}, which is newer: restore it with that version or a later one.`,
      );
    }
    this.migrations = MIGRATION_NAMES.slice(0, schema.migrations.length);
    if (applied.size !== schema.migrations.length || !this.migrations.every((name) => applied.has(name))) {
      throw new DamagedBackupError('its migrations match no version');
    }
    const tables = await expectedTables(this.migrations.length);
    const different = findDifferent(schema.tables, tables);
    if (different !== undefined) {
      throw new DamagedBackupError(`the table ${different} differs from that of its version`);
    }
    if (schema.tables.length !== tables.size) {
      throw new DamagedBackupError('it has tables that its version does not have');
    }
    this.tables = tables;
  }

  private async readRows(entry: TarEntry, name: string, part: number): Promise<void> {
    const table = this.tables?.get(name);
    if (!table) throw new DamagedBackupError(`it has rows of the unknown table ${name}`);
    const contents = this.contents.get(name) ?? { hash: createHash('sha256'), rows: 0, parts: 0 };
    this.contents.set(name, contents);
    if (part !== ++contents.parts) throw new DamagedBackupError(`parts of ${name} are missing`);
    const text = await entryText(entry);
    contents.hash.update(text);
    for (const line of rowLines(text)) {
      contents.rows++;
      this.rows++;
      checkRow(table, line, contents.rows);
    }
    this.report();
  }

  private async readBundle(entry: TarEntry, id: number, part: number): Promise<void> {
    await this.repositoryCheck.readPart(id, part, entry);
    this.report();
  }

  private async readRepository(entry: TarEntry, id: number): Promise<void> {
    this.repositoryCheck.end(id, parseRepository(await entryText(entry)));
    this.repositories++;
    this.report();
    await this.onRepository?.(id);
  }

  private report(): void {
    this.onProgress?.({ step: 'verify', done: this.rows + this.files + this.repositories });
  }
}

/** Returns the lines of a part of rows. */
export const rowLines = (text: string): string[] => text.split('\n').slice(0, -1);

/** @throws DamagedBackupError if a line is not a row that the service could have written */
function checkRow({ name, columns, values }: ExpectedTable, line: string, number: number): void {
  const row = parseRow(line);
  if (!row || Object.keys(row).length !== columns.length) {
    throw new DamagedBackupError(`row ${number} of ${name} cannot be read`);
  }
  for (const column of columns) {
    if (!values.get(column.name)?.(row[column.name])) {
      throw new DamagedBackupError(`row ${number} of ${name} has no valid ${column.name}`);
    }
  }
}

function parseRow(line: string): Record<string, unknown> | undefined {
  try {
    const row: unknown = JSON.parse(line);
    return typeof row === 'object' && row !== null ? (row as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a name of the archive as it can be printed. */
export const printable = (name: string): string => JSON.stringify(name.slice(0, MAX_SHOWN));

function toKeys(text: string): Buffer[] {
  const keys = text.trim();
  if (!keys.split(',').every(isEncryptionKey))
    throw new DamagedBackupError('its encryption key cannot be read');
  return parseKeys(keys);
}
