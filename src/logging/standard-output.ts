import { writeSync } from 'node:fs';

const STANDARD_OUTPUT = 1;
/** How many bytes of lines wait for whoever reads them; the lines after these are lost. */
const MAX_WAITING = 1024 * 1024;
/** How often to try whether they can be written, in milliseconds, and how many times at the end of the process. */
const RETRY_MS = 100;
const LAST_TRIES = 10;

/**
 * Writes lines to the standard output, each at once. A log that cannot be written is no reason to stop or to hold up the service: lines
 * wait while a pipe is full, and are lost where there is an error, as on a full disk.
 */
export class StandardOutput {
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private retry: NodeJS.Timeout | undefined;

  /** @param send writes some of the bytes, and returns how many */
  constructor(private readonly send = (bytes: Buffer): number => writeSync(STANDARD_OUTPUT, bytes)) {}

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.waitingBytes > 0 && this.waitingBytes + bytes.length > MAX_WAITING) return;
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    if (this.retry === undefined) this.writeWaiting();
  }

  private writeWaiting(): void {
    clearTimeout(this.retry);
    this.retry = undefined;
    let left: Buffer = Buffer.concat(this.waiting);
    try {
      while (left.length > 0) left = left.subarray(this.send(left));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') left = left.subarray(left.length);
      else this.retry = setTimeout(() => this.writeWaiting(), RETRY_MS).unref();
    }
    this.waiting = left.length > 0 ? [left] : [];
    this.waitingBytes = left.length;
    process.off('exit', this.writeAtEnd);
    if (left.length > 0) process.on('exit', this.writeAtEnd);
  }

  private readonly writeAtEnd = (): void => {
    for (let tries = 0; this.waitingBytes > 0 && tries < LAST_TRIES; tries++) {
      if (tries > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
      this.writeWaiting();
    }
  };
}
