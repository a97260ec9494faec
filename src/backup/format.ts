import { type Table } from '../database/schema/tables';
import { BackupError, DamagedBackupError } from './backup.error';

/** Rises when an older version could not read a backup any more. */
export const FORMAT = 2;

/** The entries of an archive, in this order; `docs/decisions/0033-backups.md` describes them. */
export const ENTRIES = {
  head: 'backup.json',
  key: 'encryption.key',
  /** `files/ID/NAME IN STORAGE` */
  file: /^files\/([1-9]\d{0,15})\/([\w-]{1,64})$/,
  schema: 'schema.json',
  /** `tables/NAME/PART.jsonl` */
  rows: /^tables\/(\w{1,64})\/(\d{6,9})\.jsonl$/,
  /** `repositories/ID/PART.bundle`; the first part begins anew. */
  bundle: /^repositories\/([1-9]\d{0,15})\/(\d{6,9})\.bundle$/,
  /** `repositories/ID/repository.json`, after the parts. */
  repository: /^repositories\/([1-9]\d{0,15})\/repository\.json$/,
  manifest: 'manifest.json',
} as const;

export const fileEntry = (id: number, storageKey: string): string => `files/${id}/${storageKey}`;
export const rowsEntry = (table: string, part: number): string =>
  `tables/${table}/${String(part).padStart(6, '0')}.jsonl`;

export const bundleEntry = (id: number, part: number): string =>
  `repositories/${id}/${String(part).padStart(6, '0')}.bundle`;
export const repositoryEntry = (id: number): string => `repositories/${id}/repository.json`;

/** A git repository of a backup. */
export interface RepositoryContents {
  /** What `HEAD` names. */
  head: string;
  /** Parts of its bundle; 0 when it has no refs. */
  parts: number;
  /** Of the bundle. */
  bytes: number;
  sha256: string;
}

/** What a backup says of itself first. */
export interface BackupHead {
  format: number;
  /** The version of the service that has made it. */
  version: string;
  created: string;
  /** The database that it was made of. */
  engine: string;
}

/** The schema of the rows. */
export interface BackupSchema {
  /** The migrations that had run, in their order. */
  migrations: string[];
  tables: Table[];
}

/** What is in a table. */
export interface TableContents {
  rows: number;
  /** Of the lines of its rows. */
  sha256: string;
  /** The last id that was given out; absent where rows get no ids. */
  lastId?: number;
}

/** What is in a backup; its last entry. */
export interface BackupManifest {
  tables: Record<string, TableContents>;
  files: {
    count: number;
    bytes: number;
    /** Of a line for each file, in their order: id, name in storage, size and SHA-256. */
    sha256: string;
    /** Ids of files in the archive whose rows had gone by the time when the rows were read. */
    superfluous: number[];
    /** Files that rows name and the storage did not have whole. */
    lost: number[];
  };
  /** Absent from backups of format 1. */
  repositories?: {
    count: number;
    /** Of all bundles. */
    bytes: number;
    /** Of a line for each, in their order: id, `HEAD`, size and SHA-256. */
    sha256: string;
    /** Repositories with commits whose folders were missing. */
    lost: number[];
    /** Whether whoever made the backup has left them out. */
    isLeftOut?: true;
  };
}

/** The line of a file in the digest of the manifest. */
export const fileLine = (file: { id: number; storageKey: string; size: number; sha256: string }): string =>
  `${file.id} ${file.storageKey} ${file.size} ${file.sha256}\n`;

/** The line of a git repository in the digest of the manifest. */
export const repositoryLine = (id: number, { head, bytes, sha256 }: RepositoryContents): string =>
  `${id} ${head} ${bytes} ${sha256}\n`;

/** @throws BackupError for a format that this version does not know */
export function parseHead(text: string): BackupHead {
  const head = parseEntry(text) as BackupHead;
  if (!(head.format >= 1 && head.format <= FORMAT)) {
    throw new BackupError(
      `The backup was made by version ${head.version}, in a format that this version does not read: restore it with that version or a later one.`,
    );
  }
  return head;
}

/** @throws DamagedBackupError when it is no JSON object */
export function parseEntry(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // What is no JSON was not written by the service.
  }
  throw new DamagedBackupError('it has an entry that cannot be read');
}
