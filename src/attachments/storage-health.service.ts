import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { FileStorage } from './file-storage';

/** How long the last look at the storage counts. */
const FRESH_MS = 3000;
/** How long a look may take; the storage counts as out of order after it, and the look goes on. */
const MAX_WAIT_MS = 1500;

/** Tells whether files can be stored at the moment. */
@Injectable()
export class StorageHealthService {
  private readonly logger = new Logger(StorageHealthService.name);
  private look?: Promise<boolean>;
  private expires = 0;
  private wasWritable = true;

  constructor(private readonly storage: FileStorage) {}

  /** Answers within a second and a half, whatever the storage does, and looks at it every three seconds at most. */
  async isWritable(): Promise<boolean> {
    if (Date.now() >= this.expires) {
      // Until it ends, nothing else is begun: a hanging file system would take one thread after the other.
      this.expires = Infinity;
      this.look = this.probe();
    }
    return Promise.race([this.look ?? false, sleep(MAX_WAIT_MS, false, { ref: false })]);
  }

  private async probe(): Promise<boolean> {
    const error = await this.storage.probe().then(
      () => undefined,
      (reason: unknown) => reason as Error,
    );
    this.expires = Date.now() + FRESH_MS;
    const isWritable = error === undefined;
    if (isWritable !== this.wasWritable) {
      if (error) this.logger.error({ err: error }, 'Files cannot be stored');
      else this.logger.log('Files can be stored again');
    }
    this.wasWritable = isWritable;
    return isWritable;
  }
}
