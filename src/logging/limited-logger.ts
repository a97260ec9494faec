import { type Logger } from '@nestjs/common';

const MAX_LINES = 20;
const WINDOW_MS = 60_000;

/** Logs events that clients can cause repeatedly: a few lines per minute, then the number of lines left out. */
export class LimitedLogger {
  private lines = 0;
  private leftOut = 0;

  constructor(
    private readonly logger: Pick<Logger, 'warn' | 'error'>,
    private readonly maxLines = MAX_LINES,
    private readonly windowMs = WINDOW_MS,
  ) {}

  warn(details: object, message: string): void {
    if (this.mayLog(message)) this.logger.warn(details, message);
  }

  error(details: object, message: string): void {
    if (this.mayLog(message)) this.logger.error(details, message);
  }

  private mayLog(message: string): boolean {
    if (this.lines === 0) setTimeout(() => this.endWindow(message), this.windowMs).unref();
    if (this.lines === this.maxLines) {
      this.leftOut++;
      return false;
    }
    this.lines++;
    return true;
  }

  private endWindow(message: string): void {
    const { leftOut } = this;
    this.lines = 0;
    this.leftOut = 0;
    if (leftOut > 0)
      this.logger.warn({ leftOut }, `${message} (${leftOut} more lines like this were suppressed)`);
  }
}
