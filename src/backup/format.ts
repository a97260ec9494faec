import { type Table } from '../database/schema/tables';

/** Incremented when older versions can no longer read a backup. */
export const FORMAT = 2;

/** The entries of an archive, in this order; `docs/decisions/0033-backups.md` describes them. */
export const ENTRIES = {
  head: 'backup.json',
  key: 'encryption.key',
  /** `files/ID/NAME IN STORAGE` */
  file: /^files\/([1-9]\d{0,14})\/([\da-f-]{36})$/,
  schema: 'schema.json',
  /** `tables/NAME/PART.jsonl` */
  rows: /^tables\/(\w{1,64})\/(\d{6,9})\.jsonl$/,
  /** `repositories/ID/PART.bundle`; a first part restarts the bundle. */
  bundle: /^repositories\/([1-9]\d{0,14})\/(\d{6,9})\.bundle$/,
  /** `repositories/ID/repository.json`, after the parts. */
  repository: /^repositories\/([1-9]\d{0,14})\/repository\.json$/,
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
  /** Target of `HEAD`. */
  head: string;
  /** Number of parts of its bundle; 0 if it has no refs. */
  parts: number;
  /** Size of the bundle. */
  bytes: number;
  sha256: string;
}

/** First entry of a backup, which describes it. */
export interface BackupHead {
  format: number;
  /** Version of the service that made the backup. */
  version: string;
  created: string;
  /** Product and version of the source database. */
  engine: string;
}

/** The schema of the rows. */
export interface BackupSchema {
  /** Migrations that had run, in order. */
  migrations: string[];
  tables: Table[];
}

/** Contents of a table. */
export interface TableContents {
  rows: number;
  /** Digest of the lines of its rows. */
  sha256: string;
  /** Last generated id; absent if the table generates none. */
  lastId?: number;
}

/** Contents of a backup; its last entry. */
export interface BackupManifest {
  tables: Record<string, TableContents>;
  files: {
    count: number;
    bytes: number;
    /** Digest of one line per file, in order: id, name in storage, size and SHA-256. */
    sha256: string;
    /** Ids of files in the archive that no longer had a row when the rows were read. */
    superfluous: number[];
    /** Ids of files that have a row but were not complete in the storage. */
    lost: number[];
  };
  /** Absent from backups of format 1. */
  repositories?: {
    count: number;
    /** Size of all bundles. */
    bytes: number;
    /** Digest of one line per repository, in order: id, `HEAD`, size and SHA-256. */
    sha256: string;
    /** Ids of repositories with commits but without a folder. */
    lost: number[];
    /** Whether the repositories were omitted on purpose. */
    isLeftOut?: true;
  };
}

/** Returns the line of a file for the digest in the manifest. */
export const fileLine = (file: { id: number; storageKey: string; size: number; sha256: string }): string =>
  `${file.id} ${file.storageKey} ${file.size} ${file.sha256}\n`;

/** Returns the line of a git repository for the digest in the manifest. */
export const repositoryLine = (id: number, { head, bytes, sha256 }: RepositoryContents): string =>
  `${id} ${head} ${bytes} ${sha256}\n`;
