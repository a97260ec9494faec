/** What `statusId` says of a document. */
export enum DocumentStatus {
  Active = 1,
  Trashed = 2,
  /** Deleted from the trash, and about to be removed; nobody sees it. */
  Removed = 3,
}
