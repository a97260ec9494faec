/** A commit that was pushed to a branch or a tag. */
export interface Push {
  /** The whole name, such as `refs/heads/main`. */
  ref: string;
  hash: string;
  /** Git has said so; otherwise it may have been accepted or not. */
  isAccepted: boolean;
}

/** Everything the service has acknowledged to its clients and must therefore keep. */
export class Ledger {
  /** Content by comment. */
  readonly comments = new Map<number, string>();
  /** Users by comment, each acknowledged as notified. */
  readonly notified = new Map<number, Set<number>>();
  /** What a pull request comment may say: the last acknowledged text, or any sent later and never answered. */
  readonly edits = new Map<number, Set<string>>();
  /** Size by upload. */
  readonly uploads = new Map<number, number>();
  /** Uploads attached to wiki pages. */
  readonly attached = new Set<number>();
  /** In the order in which they were made, of each ref one after another. */
  readonly pushes: Push[] = [];

  acknowledged = 0;
  /** Requests that were sent but not answered, because the process was killed. */
  cutOff = 0;
  /** The same for pushes, which are not among the requests. */
  pushesCutOff = 0;
  /** Requests that no process accepted. */
  unconnected = 0;
  /** Responses that say "try again", because the database was busy or unreachable. */
  refused = 0;
  /** Responses that no kill explains. */
  readonly unexpected: string[] = [];

  notify(commentId: number, userIds: readonly number[]): void {
    const known = this.notified.get(commentId) ?? new Set<number>();
    for (const userId of userIds) known.add(userId);
    this.notified.set(commentId, known);
  }
}
