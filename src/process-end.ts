import { inspect } from 'node:util';
import { type INestApplication } from '@nestjs/common';

/** Signals within this time count as one, in milliseconds: npm forwards the signal that the terminal has already sent. */
const SAME_SIGNAL_MS = 1000;

/** Interval at which the parent process is looked for, in milliseconds. */
const PARENT_INTERVAL_MS = 500;

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;

/** Options of `installShutdown`. */
export interface ProcessEndOptions {
  /** Makes the service report that it is not ready while it continues to serve. */
  announceStop: () => void;
  /** Time from a signal to the start of the shutdown, in milliseconds. */
  delay: number;
  /** Starts to close the connections; the application waits until they are closed. */
  closeConnections: () => Promise<void>;
  /** Runs last, after everything is closed; must not reject. */
  afterClose: () => Promise<void>;
  /** Maximum time from the start of the shutdown to the end of the process, in milliseconds. */
  limit: number;
  /** Writes a line to the log. */
  logInfo: (details: object, message: string) => void;
  /** Writes a line to the log, or to standard error if logging is disabled. */
  logFatal: (details: { err?: Error }, message: string) => void;
}

/**
 * Records signals during startup, when there is nothing to shut down yet; by default they would end the process immediately.
 * @returns a function that stops recording and returns whether a signal was received
 */
export function recordSignals(): () => boolean {
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

/** Sends this process SIGTERM when its parent has ended, for a parent that does not forward the signals that it gets. */
export function endWithParent(): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_INTERVAL_MS).unref();
}

/**
 * Shuts the process down in order: with exit code 0 after a signal, and with 1 after an uncaught error, which may have left work
 * unfinished. A second uncaught error, or a shutdown that exceeds the limit, ends the process at once. After a signal the service
 * reports that it is not ready and continues to serve for the delay, which an error or another signal cuts short.
 * @returns a function that starts the shutdown at once, with exit code 0 unless another is given
 */
export function installShutdown(
  app: INestApplication,
  options: ProcessEndOptions,
): (reason: string, code?: number) => void {
  const { announceStop, delay, closeConnections, afterClose, limit, logInfo, logFatal } = options;
  let exitCode = 0;
  let isStopping = false;
  let hasFailed = false;
  let signalled: number | undefined;
  let delayTimer: NodeJS.Timeout | undefined;

  const stop = (reason: string, code = exitCode): void => {
    if (isStopping) return;
    isStopping = true;
    exitCode = code;
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
        logFatal({ err: toError(error) }, 'The service did not shut down cleanly');
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
      logInfo({ reason: name, seconds: delay / 1000 }, 'Not ready; serving requests until the delay is over');
      delayTimer = setTimeout(() => stop(name), delay);
    } else if (performance.now() - signalled >= SAME_SIGNAL_MS) {
      stop(name);
    }
  };

  // A second signal does not force an exit, because npm forwards the signal that the terminal has already sent.
  for (const name of SIGNALS) process.on(name, () => signal(name));
  process.on('uncaughtException', (error) => fail(error, 'Uncaught exception'));
  process.on('unhandledRejection', (reason) => fail(reason, 'Unhandled rejection'));
  return stop;
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(inspect(error)));
