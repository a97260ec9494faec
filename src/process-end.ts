import { inspect } from 'node:util';
import { type INestApplication } from '@nestjs/common';

/** Signals within this time are the same one: npm forwards what the terminal has sent already. In milliseconds. */
const SAME_SIGNAL_MS = 1000;

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;

/** What `endOrderly` needs to know. */
export interface ProcessEndOptions {
  /** Has the service say that it is not ready, while it goes on serving. */
  announceStop: () => void;
  /** From a signal to the beginning of the stop, in milliseconds. */
  delay: number;
  /** Begins to close the connections; the application waits for the end of it. */
  closeConnections: () => Promise<void>;
  /** Is done last of all, once everything is closed; must not reject. */
  afterClose: () => Promise<void>;
  /** Longest time from the beginning of the stop to the end of the process, in milliseconds. */
  limit: number;
  /** Writes a line to the log. */
  logInfo: (details: object, message: string) => void;
  /** Writes a line to the log, or to the standard error output where nothing is logged. */
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
 * left anything half done. A second such error, or a stop that takes too long, ends it at once. After a signal the service
 * is not ready and goes on serving for the delay, which an error or another signal ends.
 * @returns begins the stop at once
 */
export function endOrderly(app: INestApplication, options: ProcessEndOptions): (reason: string) => void {
  const { announceStop, delay, closeConnections, afterClose, limit, logInfo, logFatal } = options;
  let exitCode = 0;
  let isStopping = false;
  let hasFailed = false;
  let signalled: number | undefined;
  let delayTimer: NodeJS.Timeout | undefined;

  const stop = (reason: string): void => {
    if (isStopping) return;
    isStopping = true;
    clearTimeout(delayTimer);
    const start = performance.now();
    logInfo({ reason }, 'Stopping');
    setTimeout(() => {
      logFatal({}, `The service did not stop within ${limit / 1000} seconds`);
      process.exit(1);
    }, limit);
    void closeConnections();
    const close = async (): Promise<void> => {
      await app.close();
      await afterClose();
    };
    close().then(
      () => {
        logInfo({ reason, seconds: Math.round(performance.now() - start) / 1000 }, 'Stopped');
        process.exit(exitCode);
      },
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
    stop(message);
  };
  const signal = (name: string): void => {
    if (delay === 0) {
      stop(name);
    } else if (signalled === undefined) {
      signalled = performance.now();
      announceStop();
      logInfo({ reason: name, seconds: delay / 1000 }, 'Not ready any more, and going on for a while');
      delayTimer = setTimeout(() => stop(name), delay);
    } else if (performance.now() - signalled >= SAME_SIGNAL_MS) {
      stop(name);
    }
  };

  // A second signal does not force an exit, because npm forwards what the terminal has sent already.
  for (const name of SIGNALS) process.on(name, () => signal(name));
  process.on('uncaughtException', (error) => fail(error, 'Uncaught exception'));
  process.on('unhandledRejection', (reason) => fail(reason, 'Unhandled rejection'));
  return stop;
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(inspect(error)));
