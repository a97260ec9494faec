/** The status of a pull request, with the family's numbers. */
export enum PullRequestStatus {
  Open = 1,
  Closed = 2,
  Merged = 3,
}

export const PULL_REQUEST_STATUSES: readonly PullRequestStatus[] = [
  PullRequestStatus.Open,
  PullRequestStatus.Closed,
  PullRequestStatus.Merged,
];

const NEXT: Readonly<Record<PullRequestStatus, readonly PullRequestStatus[]>> = {
  [PullRequestStatus.Open]: [PullRequestStatus.Closed, PullRequestStatus.Merged],
  [PullRequestStatus.Closed]: [PullRequestStatus.Open],
  [PullRequestStatus.Merged]: [],
};

/** Returns whether a pull request may change from one status to another; it may always keep its status. */
export const canMove = (from: PullRequestStatus, to: PullRequestStatus): boolean =>
  from === to || NEXT[from].includes(to);
