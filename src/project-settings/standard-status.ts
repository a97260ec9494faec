/** The four statuses that every project has. */
export enum StandardStatus {
  Open = 1,
  InProgress = 2,
  Resolved = 3,
  Closed = 4,
}
