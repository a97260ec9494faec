import { type BackupManifest } from '../backup/format';

/** Incremented when older versions can no longer read an archive (`docs/format.md`). */
export const ARCHIVE_FORMAT = 1;

/**
 * Fingerprint of the kinds and fields of the records of this format (`docs/format.schema.json`). Change it only with the format in mind:
 * archives without a new field must stay readable, and readers of older versions refuse a field that they do not know. Once an archive of
 * `ARCHIVE_FORMAT` has left a released version, another fingerprint needs another number.
 */
export const ARCHIVE_FINGERPRINT = '6bbcbb1023183cad';

/** The names of the entries, in their order. */
export const ARCHIVE_ENTRIES = {
  head: 'archive.json',
  records: /^records\/([a-zA-Z]{1,64})\/(\d{6,9})\.jsonl$/,
  file: /^files\/([1-9]\d{0,14})$/,
  contents: 'contents.json',
} as const;

/** Returns the name of the entry with a part of the records of a kind; parts are numbered from 1. */
export const recordsEntry = (kind: string, part: number): string =>
  `records/${kind}/${String(part).padStart(6, '0')}.jsonl`;

/** Returns the name of the entry with the content of the file of an attachment. */
export const archivedFileEntry = (id: number): string => `files/${id}`;

/** Returns the line of a file for the digest in the contents. */
export const archivedFileLine = (id: number, size: number, sha256: string): string =>
  `${id} ${size} ${sha256}\n`;

/** The first entry of an archive. */
export interface ArchiveHead {
  /** Tells an archive from other files. */
  type: 'project-archive';
  format: number;
  /** The keys of the chosen projects; absent from an archive of all projects. */
  projects?: string[];
}

/** The last entry of an archive, without which it is incomplete. */
export interface ArchiveContents {
  /** The numbers of the records by their kinds, in their order, with the digests of their lines. */
  records: Record<string, { count: number; sha256: string }>;
  files: {
    count: number;
    bytes: number;
    /** Digest of one line per file: id, size and SHA-256. */
    sha256: string;
    /** The ids of attachments without a complete content. */
    lost: number[];
  };
  /** `lost` has the ids of repositories without a folder. */
  repositories: NonNullable<BackupManifest['repositories']>;
}
