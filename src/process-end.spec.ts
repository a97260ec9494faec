import { type INestApplication } from '@nestjs/common';
import { type MockInstance } from 'vitest';
import { installShutdown } from './process-end';

const LIMIT = 18_000;

describe(installShutdown.name, () => {
  let handlers: Record<string, (argument?: unknown) => void>;
  let exit: MockInstance;
  let stop: ReturnType<typeof installShutdown>;
  let end: { resolve: () => void; reject: (error: unknown) => void };
  const closeConnections = vi.fn(() => Promise.resolve());
  const close = vi.fn();
  const logInfo = vi.fn();
  const logFatal = vi.fn();
  const announceStop = vi.fn();

  const afterClose = vi.fn(() => Promise.resolve());

  beforeEach(() => {
    vi.useFakeTimers();
    vi.clearAllMocks();
    handlers = {};
    vi.spyOn(process, 'on').mockImplementation((event, handler) => {
      handlers[String(event)] = handler;
      return process;
    });
    exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
    close.mockImplementation(
      () => new Promise<void>((resolve, reject) => (end = { resolve: () => resolve(), reject })),
    );
    begin(0);
  });

  const begin = (delay: number): void => {
    const options = { announceStop, delay, closeConnections, afterClose, limit: LIMIT, logInfo, logFatal };
    stop = installShutdown({ close } as unknown as INestApplication, options);
  };

  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('exits with the code passed to stop', async () => {
    stop('A newer version', 1);
    end.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(exit.mock.calls).toEqual([[1]]);
    expect(logFatal).not.toHaveBeenCalled();
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'])('exits with 0 after a stop at %s', async (signal) => {
    handlers[signal]?.();
    handlers[signal]?.();
    expect(closeConnections).toHaveBeenCalledTimes(1);
    expect(close).toHaveBeenCalledTimes(1);
    expect(exit).not.toHaveBeenCalled();
    expect(afterClose).not.toHaveBeenCalled();
    end.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(afterClose).toHaveBeenCalledTimes(1);
    expect(exit.mock.calls).toEqual([[0]]);
    expect(logFatal).not.toHaveBeenCalled();
    expect(logInfo.mock.calls).toEqual([
      [{ reason: signal }, 'Stopping'],
      [{ reason: signal, seconds: 0 }, 'Stopped'],
    ]);
  });

  it('exits with 1 when the stop exceeds its time limit', async () => {
    handlers.SIGTERM?.();
    await vi.advanceTimersByTimeAsync(LIMIT - 1);
    expect(exit).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(exit).toHaveBeenCalledWith(1);
    expect(logFatal).toHaveBeenCalledWith({}, 'The service did not stop within 18 seconds');
  });

  describe('with a delay', () => {
    const DELAY = 5000;

    beforeEach(() => begin(DELAY));

    it('announces the stop at once and closes after the delay', async () => {
      handlers.SIGTERM?.();
      handlers.SIGTERM?.();
      expect(announceStop).toHaveBeenCalledTimes(1);
      await vi.advanceTimersByTimeAsync(DELAY - 1);
      expect(close).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1);
      expect(close).toHaveBeenCalledTimes(1);
      await vi.advanceTimersByTimeAsync(LIMIT - 1);
      expect(exit).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1);
      expect(exit).toHaveBeenCalledWith(1);
    });

    it('stops at once at a second signal a second later', async () => {
      handlers.SIGINT?.();
      await vi.advanceTimersByTimeAsync(1000);
      expect(close).not.toHaveBeenCalled();
      handlers.SIGINT?.();
      expect(close).toHaveBeenCalledTimes(1);
      await vi.advanceTimersByTimeAsync(DELAY);
      expect(close).toHaveBeenCalledTimes(1);
    });

    it('stops at once at an uncaught exception', () => {
      handlers.SIGTERM?.();
      handlers.uncaughtException?.(new Error('Meanwhile'));
      expect(close).toHaveBeenCalledTimes(1);
    });
  });

  it('exits with 1 when the stop fails', async () => {
    handlers.SIGTERM?.();
    const error = new Error('Stuck');
    end.reject(error);
    await vi.advanceTimersByTimeAsync(0);
    expect(exit).toHaveBeenCalledWith(1);
    expect(logFatal).toHaveBeenCalledWith({ err: error }, 'The service did not shut down cleanly');
  });

  it('exits with 1 at an unhandled rejection during a stop', async () => {
    handlers.SIGTERM?.();
    handlers.unhandledRejection?.(new Error('Meanwhile'));
    expect(exit).not.toHaveBeenCalled();
    end.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(exit).toHaveBeenCalledWith(1);
  });

  it('exits with 1 at once at the second uncaught error', () => {
    handlers.uncaughtException?.(new Error('First'));
    expect(exit).not.toHaveBeenCalled();
    handlers.unhandledRejection?.('Second');
    expect(exit).toHaveBeenCalledWith(1);
    expect(logFatal.mock.calls.map(([, message]: unknown[]) => message)).toEqual([
      'Uncaught exception',
      'Unhandled rejection',
    ]);
  });
});
