import { inspect } from 'node:util';
import { type INestApplication } from '@nestjs/common';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;

/** What `endOrderly` needs to know. */
export interface ProcessEndOptions {
  /** Begins to close the connections; the application waits for the end of it. */
  closeConnections: () => Promise<void>;
  /** Longest time from the first signal or failure to the end of the process, in milliseconds. */
  limit: number;
  /** Writes a line to the log. */
  logFatal: (details: { err?: Error }, message: string) => void;
}

/**
 * Notes signals while the service starts, when there is nothing to end yet; by default they would end the process in the middle.
 * @returns tells whether there was one, and notes no more
 */
export function noteSignals(): () => boolean {
  let isNoted = false;
  const note = (): void => {
    isNoted = true;
  };
  for (const signal of SIGNALS) process.on(signal, note);
  return () => {
    for (const signal of SIGNALS) process.off(signal, note);
    return isNoted;
  };
}

/**
 * Ends the process in order: with exit code 0 at a signal, and with 1 when an error got past every handler, which may have
 * left anything half done. A second such error, or a stop that takes too long, ends it at once.
 * @returns does what a signal does
 */
export function endOrderly(app: INestApplication, options: ProcessEndOptions): () => void {
  const { closeConnections, limit, logFatal } = options;
  let exitCode = 0;
  let isStopping = false;
  let hasFailed = false;

  const stop = (): void => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => {
      logFatal({}, `The service did not stop within ${limit / 1000} seconds`);
      process.exit(1);
    }, limit);
    void closeConnections();
    app.close().then(
      () => process.exit(exitCode),
      (error: unknown) => {
        logFatal({ err: toError(error) }, 'The service did not stop in order');
        process.exit(1);
      },
    );
  };
  const fail = (error: unknown, message: string): void => {
    logFatal({ err: toError(error) }, message);
    if (hasFailed) process.exit(1);
    hasFailed = true;
    exitCode = 1;
    stop();
  };

  // npm forwards a signal that the terminal has sent already, so a second signal must not force an exit.
  for (const signal of SIGNALS) process.on(signal, stop);
  process.on('uncaughtException', (error) => fail(error, 'Uncaught exception'));
  process.on('unhandledRejection', (reason) => fail(reason, 'Unhandled rejection'));
  return stop;
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(inspect(error)));
