/** A commit pushed to a branch or a tag. */
export interface Push {
  /** The full name, such as `refs/heads/main`. */
  ref: string;
  hash: string;
  /** Whether git reported success; if not, the push may or may not have been accepted. */
  isAccepted: boolean;
}

/** Everything the service has acknowledged to its clients and must therefore keep. */
export class Ledger {
  /** Content by comment. */
  readonly comments = new Map<number, string>();
  /** Users acknowledged as notified, by comment. */
  readonly notified = new Map<number, Set<number>>();
  /** Allowed texts by pull request comment: the last acknowledged one, or any sent later without a response. */
  readonly edits = new Map<number, Set<string>>();
  /** Size by upload. */
  readonly uploads = new Map<number, number>();
  /** Uploads attached to wiki pages. */
  readonly attached = new Set<number>();
  /** In the order in which they were made; the pushes to one ref are sequential. */
  readonly pushes: Push[] = [];

  acknowledged = 0;
  /** Requests without a response because the process was killed. */
  cutOff = 0;
  /** Pushes cut off in the same way; they are not counted as requests. */
  pushesCutOff = 0;
  /** Requests that no process accepted. */
  unconnected = 0;
  /** "Try again" responses, because the database was busy or unreachable. */
  refused = 0;
  /** Responses that a kill does not explain. */
  readonly unexpected: string[] = [];

  notify(commentId: number, userIds: readonly number[]): void {
    const known = this.notified.get(commentId) ?? new Set<number>();
    for (const userId of userIds) known.add(userId);
    this.notified.set(commentId, known);
  }
}
