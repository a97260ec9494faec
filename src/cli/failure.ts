import { S3Error } from '../attachments/s3/s3-error';
import { BackupError } from '../backup/backup.error';
import { DomainError, type Problem } from '../errors/domain-errors';
import { ImportError } from '../imports/import.error';
import { explainStartFailure } from '../start-failure';
import { CommandError } from './command';

/**
 * Explains why a command failed, with one line per reason and without details that only a programmer understands.
 * @param command name of the command
 */
export function explainFailure(error: unknown, command: string): string[] {
  if (error instanceof CommandError || error instanceof BackupError || error instanceof ImportError)
    return [error.message];
  if (error instanceof DomainError) return error.problems.map(messageOf);
  if (error instanceof S3Error) return [`The storage cannot be used: ${error.message}. Check STORAGE_URL.`];
  return explainStartFailure(error, command === 'serve' ? undefined : 'The command failed');
}

/** Returns the message of a problem without the name of the API's field, which no command has. */
const messageOf = ({ message, moreInfo }: Problem): string =>
  message.startsWith(`${moreInfo}: `) ? message.slice(moreInfo.length + 2) : message;
