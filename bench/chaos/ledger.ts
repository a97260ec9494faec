/** What the service has acknowledged to its clients, and so has to keep. */
export class Ledger {
  /** Content by comment. */
  readonly comments = new Map<number, string>();
  /** Users by comment, each acknowledged as notified. */
  readonly notified = new Map<number, Set<number>>();
  /** What a pull request comment may say: the last acknowledged text, or one sent after it without an answer. */
  readonly edits = new Map<number, Set<string>>();
  /** Size by upload. */
  readonly uploads = new Map<number, number>();
  /** Uploads attached to the wiki page. */
  readonly attached = new Set<number>();

  acknowledged = 0;
  /** Requests that were sent and not answered: those that a kill met. */
  cutOff = 0;
  /** Requests that no process took. */
  unconnected = 0;
  /** Answers that say "try again": the database was busy or away. */
  refused = 0;
  /** Answers that no kill explains. */
  readonly unexpected: string[] = [];

  notify(commentId: number, userIds: readonly number[]): void {
    const known = this.notified.get(commentId) ?? new Set<number>();
    for (const userId of userIds) known.add(userId);
    this.notified.set(commentId, known);
  }
}
