/** The values of a document's `statusId`. */
export enum DocumentStatus {
  Active = 1,
  Trashed = 2,
  /** Deleted from the trash and about to be removed; not visible to any user. */
  Removed = 3,
}
