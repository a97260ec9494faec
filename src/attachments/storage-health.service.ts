import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { FileStorage } from './file-storage';

/** How long the result of a probe is cached, in milliseconds. */
const FRESH_MS = 3000;
/** Time after which the storage counts as not writable while a probe continues, in milliseconds. */
const MAX_WAIT_MS = 1500;

/** Checks whether files can currently be stored. */
@Injectable()
export class StorageHealthService {
  private readonly logger = new Logger(StorageHealthService.name);
  private look?: Promise<boolean>;
  private expires = 0;
  private wasWritable = true;

  constructor(private readonly storage: FileStorage) {}

  /** Resolves within 1.5 seconds, whatever the storage does, and probes it at most every three seconds. */
  async isWritable(): Promise<boolean> {
    if (Date.now() >= this.expires) {
      // Starts no other probe until this one ends: a hanging file system would block one thread after the other.
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
