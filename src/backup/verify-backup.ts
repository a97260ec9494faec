import { createHash, type Hash } from 'node:crypto';
import { isEncryptionKey, parseKeys } from '../encryption/encryption-keys';
import { readArchive } from './archive/archive-file';
import { type TarEntry } from './archive/tar';
import { DamagedBackupError } from './backup.error';
import {
  type BackupHead,
  type BackupManifest,
  type BackupSchema,
  ENTRIES,
  fileLine,
  type RepositoryContents,
  repositoryLine,
  parseEntry,
  parseHead,
} from './format';
import { type Progress } from './progress';

/** Metadata of a complete and intact archive. */
export interface VerifiedBackup {
  head: BackupHead;
  /** Empty if the archive has none. */
  keys: Buffer[];
  schema: BackupSchema;
  manifest: BackupManifest;
}

/** A file in an archive. */
export interface ArchivedFile {
  id: number;
  storageKey: string;
  size: number;
  sha256: string;
}

const NEWLINE = 10;
/** Maximum size of an entry that is kept in memory; a part of rows has 4 MiB, plus up to one row of 16 MiB. */
export const MAX_TEXT_BYTES = 128 * 1024 * 1024;

/**
 * Reads an archive to its end and compares everything with its manifest. Writes nothing.
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
  private schema?: BackupSchema;
  private manifest?: BackupManifest;
  private readonly tables = new Map<string, { hash: Hash; rows: number; parts: number }>();
  private readonly fileHash = createHash('sha256');
  private readonly repositoryHash = createHash('sha256');
  private bundle?: { id: number; hash: Hash; parts: number; bytes: number };
  private files = 0;
  private rows = 0;
  private repositories = 0;

  constructor(
    private readonly onFile?: (file: ArchivedFile) => Promise<void>,
    private readonly onRepository?: (id: number) => Promise<void>,
    private readonly onProgress?: (progress: Progress) => void,
  ) {}

  async read(entry: TarEntry): Promise<void> {
    if (this.manifest) throw new DamagedBackupError('it goes on after its end');
    if (!this.head) {
      if (entry.path !== ENTRIES.head)
        throw new DamagedBackupError('its first entry is not that of a backup');
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
    else if (entry.path === ENTRIES.schema) this.schema = parseEntry(await entryText(entry)) as BackupSchema;
    else if (entry.path === ENTRIES.manifest)
      this.manifest = parseEntry(await entryText(entry)) as BackupManifest;
    else throw new DamagedBackupError('it has an entry of an unknown name');
  }

  result(): VerifiedBackup {
    const { head, keys, schema, manifest } = this;
    if (!head || !schema || !manifest) throw new DamagedBackupError('it ends early');
    const names = new Set([...this.tables.keys(), ...schema.tables.map(({ name }) => name)]);
    for (const name of [...names, ...Object.keys(manifest.tables)]) {
      const found = this.tables.get(name);
      const sha256 = (found?.hash ?? createHash('sha256')).copy().digest('hex');
      const written = manifest.tables[name];
      if (!written || !names.has(name) || written.rows !== (found?.rows ?? 0) || written.sha256 !== sha256) {
        throw new DamagedBackupError(`the rows of ${name} are not those that were written`);
      }
    }
    if (manifest.files.count !== this.files || manifest.files.sha256 !== this.fileHash.digest('hex')) {
      throw new DamagedBackupError('its files are not those that were written');
    }
    const { count, sha256 } = manifest.repositories ?? { count: 0, sha256: undefined };
    const digest = this.repositoryHash.digest('hex');
    if (count !== this.repositories || (sha256 !== undefined && sha256 !== digest)) {
      throw new DamagedBackupError('its git repositories are not those that were written');
    }
    return { head, keys, schema, manifest };
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

  private async readRows(entry: TarEntry, name: string, part: number): Promise<void> {
    const table = this.tables.get(name) ?? { hash: createHash('sha256'), rows: 0, parts: 0 };
    this.tables.set(name, table);
    if (part !== ++table.parts || entry.size > MAX_TEXT_BYTES) {
      throw new DamagedBackupError(`parts of ${name} are missing`);
    }
    for await (const chunk of entry.content()) {
      table.hash.update(chunk);
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) {
        table.rows++;
        this.rows++;
      }
    }
    this.report();
  }

  private async readBundle(entry: TarEntry, id: number, part: number): Promise<void> {
    // A first part starts over: git may have failed, or the repository may have been removed, in the middle of an earlier bundle.
    if (part === 1) this.bundle = { id, hash: createHash('sha256'), parts: 0, bytes: 0 };
    const { bundle } = this;
    if (bundle?.id !== id || part !== ++bundle.parts) {
      throw new DamagedBackupError(`parts of the git repository ${id} are missing`);
    }
    for await (const chunk of entry.content()) bundle.hash.update(chunk);
    bundle.bytes += entry.size;
    this.report();
  }

  private async readRepository(entry: TarEntry, id: number): Promise<void> {
    const contents = parseEntry(await entryText(entry)) as RepositoryContents;
    const empty = { hash: createHash('sha256'), parts: 0, bytes: 0 };
    const { hash, parts, bytes } = this.bundle?.id === id && contents.parts > 0 ? this.bundle : empty;
    if (contents.parts !== parts || contents.bytes !== bytes || contents.sha256 !== hash.digest('hex')) {
      throw new DamagedBackupError(`the git repository ${id} is not the one that was written`);
    }
    this.bundle = undefined;
    this.repositoryHash.update(repositoryLine(id, contents));
    this.repositories++;
    this.report();
    await this.onRepository?.(id);
  }

  private report(): void {
    this.onProgress?.({ step: 'verify', done: this.rows + this.files + this.repositories });
  }
}

function toKeys(text: string): Buffer[] {
  const keys = text.trim();
  if (!keys.split(',').every(isEncryptionKey))
    throw new DamagedBackupError('its encryption key cannot be read');
  return parseKeys(keys);
}
