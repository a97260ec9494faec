/** Reason why a backup cannot be made or restored, in one line for the operator. The error of the system that has caused it is its cause. */
export class BackupError extends Error {}

/** The archive differs from what was written. */
export class DamagedBackupError extends BackupError {
  /** @param what says what differs, as a sentence without its end */
  constructor(readonly what: string) {
    super(`The backup is damaged: ${what}. None of its data is used; use another backup.`);
  }
}
