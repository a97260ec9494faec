import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Environment } from '../../config/environment';
import { type ClaimedLetter } from '../data/mail-letter.repository';

type Sent = Pick<ClaimedLetter, 'id' | 'leaseToken'>;

const LINE = /^(\d+) ([0-9a-f-]{36})$/;

/**
 * Letters that the mail server has taken and the embedded database does not have as sent yet, in a file beside it. A note in the database waits for
 * other writes, and the letter would come twice if the process were killed meanwhile; a line in this file is written before anything else runs.
 * With a server as the database, where a process may have no files that last, nothing is noted (`docs/decisions/0066-mail.md`).
 */
@Injectable()
export class SentLetters implements OnApplicationShutdown {
  private readonly logger = new Logger(SentLetters.name);
  private readonly path?: string;
  private file?: number;
  /** Number of letters that the database does not have as sent yet. */
  private open = 0;

  constructor(environment: Environment) {
    const { isEmbeddedDatabase, DATABASE_URL, databaseName, mail } = environment;
    if (mail && isEmbeddedDatabase && DATABASE_URL !== 'sqlite::memory:') {
      this.path = resolve(`${databaseName}.letters`);
    }
  }

  /** Notes that the mail server has taken a letter. Never throws: without the note, the letter may come twice after a kill. */
  note({ id, leaseToken }: Sent): void {
    if (this.path === undefined) return;
    this.open++;
    try {
      this.file ??= openSync(this.path, 'a', 0o600);
      writeSync(this.file, `${id} ${leaseToken}\n`);
    } catch (error) {
      this.logger.warn({ err: error }, 'Could not note a sent letter');
    }
  }

  /** Called when the database has a noted letter as sent, or could not be written. Empties the file when nothing else is noted. */
  settle(): void {
    if (this.path === undefined || --this.open > 0 || this.file === undefined) return;
    try {
      ftruncateSync(this.file);
    } catch (error) {
      this.logger.warn({ err: error }, 'Could not empty the notes of sent letters');
    }
  }

  /** Returns what an earlier process noted. The last line may be incomplete. */
  read(): Sent[] {
    if (this.path === undefined) return [];
    try {
      return readFileSync(this.path, 'utf8')
        .split('\n')
        .flatMap((line) => {
          const [, id, leaseToken] = LINE.exec(line) ?? [];
          return id === undefined || leaseToken === undefined ? [] : [{ id: Number(id), leaseToken }];
        });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        this.logger.warn({ err: error }, 'Could not read the notes of sent letters');
      }
      return [];
    }
  }

  onApplicationShutdown(): void {
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
  }
}
