import { BackupError } from '../backup/backup.error';

/** The archive is not one that the service could have written, in one line for the operator. */
export class DamagedArchiveError extends BackupError {
  /** @param what says what is wrong, as a sentence without its end */
  constructor(readonly what: string) {
    super(`The archive is damaged: ${what}. Nothing of it is used.`);
  }
}
