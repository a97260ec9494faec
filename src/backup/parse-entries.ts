import { isRefName } from '../git-repositories/refs/ref-names';
import { type Check, listOf, optional, recordOf, shape } from '../json-shape';
import { BackupError, DamagedBackupError } from './backup.error';
import {
  type BackupHead,
  type BackupManifest,
  type BackupSchema,
  FORMAT,
  type RepositoryContents,
} from './format';

/**
 * Readers of the entries that describe a backup. An archive is untrusted input: whatever they accept has the shape of `format.ts`, and may
 * be printed and counted with.
 */

/** The largest id of a table: the next ones must still be safe integers. */
const LARGEST_ID = 2 ** 52;
const MAX_WORD_LENGTH = 200;

export const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
export const isId: Check = (value) => isCount(value) && Number(value) <= LARGEST_ID;
export const isDigest: Check = (value) => typeof value === 'string' && /^[\da-f]{64}$/.test(value);
/** A word that a terminal shows as it is. */
export const isWord: Check = (value) =>
  typeof value === 'string' && value.length <= MAX_WORD_LENGTH && /^[\p{L}\p{N}\p{P}\p{S} ]+$/u.test(value);
const isTime: Check = (value) =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) &&
  !Number.isNaN(Date.parse(value));

const isHead = shape({ format: isCount, version: isWord, created: isTime, engine: isWord });
const isSchema = shape({
  migrations: listOf(isWord),
  tables: listOf(
    shape({ name: isWord, key: listOf(isWord), columns: listOf(shape({ name: isWord, kind: isWord })) }),
  ),
});
export const isRepositories = shape({
  count: isCount,
  bytes: isCount,
  sha256: isDigest,
  lost: listOf(isId),
  isLeftOut: optional((value) => value === true),
});
const isManifest = shape({
  tables: recordOf(shape({ rows: isCount, sha256: isDigest, lastId: optional(isId) })),
  files: shape({
    count: isCount,
    bytes: isCount,
    sha256: isDigest,
    superfluous: listOf(isId),
    lost: listOf(isId),
  }),
  repositories: optional(isRepositories),
});
const isRepository = shape({
  head: (value) => typeof value === 'string' && isRefName(value),
  parts: isCount,
  bytes: isCount,
  sha256: isDigest,
});

/** @throws BackupError for a format that this version does not know, DamagedBackupError if it is none */
export function parseHead(text: string): BackupHead {
  const head = parseEntry('backup.json', text, isHead) as BackupHead;
  if (head.format < 1 || head.format > FORMAT) {
    throw new BackupError(
      `The backup was made by version ${head.version}, in a format that this version does not read: restore it with that version or a later one.`,
    );
  }
  return head;
}

/** @throws DamagedBackupError if it is none */
export const parseSchema = (text: string): BackupSchema =>
  parseEntry('schema.json', text, isSchema) as BackupSchema;

/** @throws DamagedBackupError if it is none */
export const parseManifest = (text: string): BackupManifest =>
  parseEntry('manifest.json', text, isManifest) as BackupManifest;

/** @throws DamagedBackupError if it is none */
export const parseRepository = (text: string): RepositoryContents =>
  parseEntry('repository.json', text, isRepository) as RepositoryContents;

/** @throws DamagedBackupError if an entry is not JSON of the expected shape */
export function parseEntry(name: string, text: string, isValid: Check): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Text that is not JSON was not written by the service.
  }
  if (!isValid(value)) throw new DamagedBackupError(`its ${name} cannot be read`);
  return value;
}
