import { writeSync } from 'node:fs';

const STANDARD_OUTPUT = 1;
/** Maximum number of buffered bytes; further lines are dropped. */
const MAX_WAITING = 1024 * 1024;
/** Interval of write attempts, in milliseconds, and their number at exit. */
const RETRY_MS = 100;
const LAST_TRIES = 10;

/**
 * Writes lines to standard output immediately. A log that cannot be written must not stop or delay the service: lines are
 * buffered while a pipe is full, and dropped on an error, such as a full disk.
 */
export class StandardOutput {
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private retry: NodeJS.Timeout | undefined;

  /** @param send writes some of the bytes, and returns their number */
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
