/** The limits of `Turns`. */
export interface TurnsOptions {
  /** Maximum number of concurrent turns of a key; 0 = no limit. */
  atOnce: number;
  /** Maximum number of waiters of a key. */
  maxWaiting: number;
  /** Maximum wait, in milliseconds. */
  maxWaitMs: number;
  /** Creates the error for exceeding a limit. */
  refusal: () => Error;
}

interface Queue {
  running: number;
  /** In order of arrival. */
  waiting?: Set<() => void>;
}

/** Limits the concurrent work of each key, such as a user. Further work waits in a bounded queue, for a bounded time. */
export class Turns<Key> {
  private readonly queues = new Map<Key, Queue>();

  constructor(private readonly options: TurnsOptions) {}

  /**
   * Takes a turn, to be returned with `release`.
   * @param gone aborted to leave the queue
   * @returns undefined when a turn is free, without a promise or a timer; otherwise a promise that rejects with the refusal after
   * the maximum wait, or with the signal's reason when it is aborted
   * @throws the refusal when the queue is full
   */
  take(key: Key, gone?: () => AbortSignal): Promise<void> | undefined {
    const { atOnce, maxWaiting, refusal } = this.options;
    if (atOnce === 0) return undefined;
    const queue = this.queues.get(key);
    if (!queue) {
      this.queues.set(key, { running: 1 });
      return undefined;
    }
    if (queue.running < atOnce) {
      queue.running++;
      return undefined;
    }
    queue.waiting ??= new Set();
    if (queue.waiting.size >= maxWaiting) throw refusal();
    return whenAdmitted(queue.waiting, this.options, gone?.());
  }

  /** Returns a turn; the next waiter gets it. */
  release(key: Key): void {
    const queue = this.queues.get(key);
    if (!queue) return;
    const [next] = queue.waiting ?? [];
    if (next) next();
    else if (--queue.running === 0) this.queues.delete(key);
  }

  /** Runs work as soon as a turn is free. */
  async run<T>(key: Key, work: () => Promise<T>, gone?: AbortSignal): Promise<T> {
    await this.take(key, gone && (() => gone));
    try {
      return await work();
    } finally {
      this.release(key);
    }
  }
}

/** Those who wait for a turn, in order of arrival: each is admitted by a call. */
export interface WaitingLine {
  add(admit: () => void): unknown;
  delete(admit: () => void): unknown;
}

/**
 * Waits in a line.
 * @param gone aborted to leave the line
 * @returns a promise that resolves on admission, and rejects with the refusal after the maximum wait, or with the signal's reason
 */
export function whenAdmitted(
  line: WaitingLine,
  { maxWaitMs, refusal }: Pick<TurnsOptions, 'maxWaitMs' | 'refusal'>,
  gone: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      line.delete(admit);
      clearTimeout(timer);
      gone?.removeEventListener('abort', abort);
    };
    const refuse = (reason: Error): void => {
      leave();
      reject(reason);
    };
    const abort = (): void => refuse(gone?.reason as Error);
    const admit = (): void => {
      leave();
      resolve();
    };
    const timer = setTimeout(() => refuse(refusal()), maxWaitMs).unref();
    line.add(admit);
    if (gone?.aborted) abort();
    else gone?.addEventListener('abort', abort);
  });
}
