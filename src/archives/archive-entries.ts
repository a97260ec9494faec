import { type Hash } from 'node:crypto';
import { type Readable } from 'node:stream';
import { tarEntry, tarStream } from '../backup/archive/tar';
import { BackupError } from '../backup/backup.error';
import { linesOf } from '../backup/table-lines';
import {
  ARCHIVE_FORMAT,
  type ArchiveContents,
  archivedFileEntry,
  archivedFileLine,
  type ArchiveHead,
  recordsEntry,
} from './archive-format';
import { type ArchivedRecord, type RecordKind } from './record-kinds';
import { isArchivable, isShortDescription } from './record-limits';

/** The entries have no times, so that archives of the same data are the same. */
export const NO_TIME = new Date(0);

/** Returns the contents of an archive of nothing, which its writer completes. */
export const newContents = (): ArchiveContents => ({
  records: {},
  files: { count: 0, bytes: 0, sha256: '', lost: [] },
  repositories: { count: 0, bytes: 0, sha256: '', lost: [] },
});

/** Returns the first entry's content. @param projects undefined for all projects */
export const headOf = (projects: readonly string[] | undefined): ArchiveHead => ({
  type: 'project-archive',
  format: ARCHIVE_FORMAT,
  ...(projects && { projects: [...projects].sort() }),
});

/**
 * Returns an entry that describes others.
 * @throws BackupError if it is too large to be read again
 */
export function jsonEntry(name: string, value: object): Generator<Buffer> {
  const text = `${JSON.stringify(value, undefined, 2)}\n`;
  if (!isShortDescription(text)) {
    throw new BackupError(
      `The archive's ${name} is too large: it lists too many projects, or too many files or git repositories without content.`,
    );
  }
  return tarEntry(name, Buffer.from(text), NO_TIME);
}

/**
 * Yields the entries with the records of a kind, and adds the kind to the contents.
 * @param onPart gets the number of records in each
 * @throws BackupError for a record that is too large to be read again
 */
export async function* recordEntries(
  { records }: Pick<ArchiveContents, 'records'>,
  { name, key }: Pick<RecordKind, 'name' | 'key'>,
  values: AsyncIterable<ArchivedRecord>,
  onPart?: (count: number) => void,
): AsyncGenerator<Buffer> {
  const parts = linesOf(values, (line, record) => {
    if (isArchivable(line)) return;
    const place = key.map((field) => `${field} ${String(record[field])}`).join(', ');
    throw new BackupError(`The record ${name} with the ${place} is too large for an archive.`);
  });
  for (let part = 1; ; part++) {
    const { value, done } = await parts.next();
    if (done) {
      records[name] = { count: value.rows, sha256: value.sha256 };
      return;
    }
    yield* tarEntry(recordsEntry(name, part), value.lines, NO_TIME);
    onPart?.(value.rows);
  }
}

/** Yields the entry of a file, and adds the file to the contents and to the digest of all files. A file that is too short is lost. */
export async function* fileEntry(
  { files }: Pick<ArchiveContents, 'files'>,
  hash: Hash,
  { id, size }: { id: number; size: number },
  content: Readable,
): AsyncGenerator<Buffer> {
  try {
    const written = yield* tarStream(archivedFileEntry(id), size, content, NO_TIME);
    if (!written.isComplete) files.lost.push(id);
    hash.update(archivedFileLine(id, size, written.sha256));
  } finally {
    content.destroy();
  }
  files.count++;
  files.bytes += size;
}
