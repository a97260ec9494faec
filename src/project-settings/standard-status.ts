/** The four statuses that every project has. */
export enum StandardStatus {
  Open = 1,
  InProgress = 2,
  Resolved = 3,
  Closed = 4,
}

/** The statuses of a new project (`docs/decisions/0001-wire-protocol.md#statuses`). */
export const STANDARD_STATUSES = [
  { standard: StandardStatus.Open, name: 'Open', color: '#ed8077' },
  { standard: StandardStatus.InProgress, name: 'In Progress', color: '#4488c5' },
  { standard: StandardStatus.Resolved, name: 'Resolved', color: '#5eb5a6' },
  { standard: StandardStatus.Closed, name: 'Closed', color: '#a1af2f' },
] as const;
