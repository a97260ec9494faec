/** Incremented when older versions can no longer read an archive (`docs/format.md`). */
export const ARCHIVE_FORMAT = 1;

/** The names of the entries, in their order. */
export const ARCHIVE_ENTRIES = { head: 'archive.json', contents: 'contents.json' } as const;

/** Returns the name of the entry with a part of the records of a kind; parts are numbered from 1. */
export const recordsEntry = (kind: string, part: number): string =>
  `records/${kind}/${String(part).padStart(6, '0')}.jsonl`;

/** Returns the name of the entry with the content of the file of an attachment. */
export const archivedFileEntry = (id: number): string => `files/${id}`;

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
  repositories: {
    count: number;
    bytes: number;
    sha256: string;
    /** The ids of repositories without a folder. */
    lost: number[];
    /** Whether the repositories were left out on purpose. */
    isLeftOut?: true;
  };
}
