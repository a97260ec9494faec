/** The table in which a feature links files to their owners, with `attachment_id` and the id of the owner. */
export interface AttachmentLink {
  table: string;
  /** The column with the owner's id. */
  owner: string;
  /** The table of the owners. */
  owners: string;
}

/** The table in which a feature lists its files. */
export interface StoredFor {
  /** A table with `attachment_id`. */
  table: string;
  /** The column with the id of the file's owner; omitted when the table itself has `project_id`. */
  owner?: string;
  /** The table of the owners, with `project_id`. */
  owners?: string;
}

/** The table with the sizes of what a feature stores elsewhere. */
export interface StoredSizes {
  /** A table with `project_id`. */
  table: string;
  /** The column with the bytes. */
  size: string;
}
