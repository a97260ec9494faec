import { whenAdmitted } from './turns';

/** The limits of `SharedTurns`. */
export interface SharedTurnsOptions {
  /** Maximum number of concurrent turns. */
  atOnce: number;
  /** Maximum number of concurrent turns of one key. */
  perKey: number;
  /** Maximum number of waiters of one key. */
  maxWaiting: number;
  /** Maximum wait, in milliseconds. */
  maxWaitMs: number;
  /** Creates the error for exceeding a limit: that of the key, or that of all keys together. */
  refusal: (limit: 'perKey' | 'atOnce') => Error;
}

/** How a turn is taken. */
export interface TurnRequest {
  /** The queue in which the key waits together with others, and its maximum number of waiters; by default that of the key alone. */
  queue?: { name: unknown; maxWaiting: number };
  /** Aborted to leave the queue. */
  gone?: AbortSignal;
}

interface Waiter<Key> {
  key: Key;
  queue: unknown;
}

/**
 * Turns that several keys, such as users, share. The turns that keys hold beyond their first one take at most half of all turns, so a few
 * keys with many turns leave room for others. Further work waits in a bounded queue, one for each key by default, for a bounded time, and
 * is admitted in the order of arrival, except where its key may not have another turn yet.
 */
export class SharedTurns<Key> {
  private readonly running = new Map<Key, number>();
  /** Number of turns in use. */
  private count = 0;
  /** By the call that admits a waiter, in order of arrival. */
  private readonly waiting = new Map<() => void, Waiter<Key>>();

  constructor(private readonly options: SharedTurnsOptions) {}

  /**
   * Takes a turn, to be returned with `release`.
   * @returns undefined when the key may have a turn at once; otherwise a promise that rejects with the refusal after the maximum wait, or
   * with the signal's reason when it is aborted
   * @throws the refusal when the queue is full
   */
  take(key: Key, { queue, gone }: TurnRequest = {}): Promise<void> | undefined {
    if (this.mayTake(key)) {
      this.add(key);
      return undefined;
    }
    const { maxWaitMs } = this.options;
    const { name, maxWaiting } = queue ?? { name: key, maxWaiting: this.options.maxWaiting };
    const refusal = (): Error => this.options.refusal(this.mayHaveMore(key) ? 'atOnce' : 'perKey');
    const waiters = [...this.waiting.values()].filter((waiter) => waiter.queue === name);
    if (waiters.length >= maxWaiting) throw refusal();
    const line = {
      add: (admit: () => void) => this.waiting.set(admit, { key, queue: name }),
      delete: (admit: () => void) => this.waiting.delete(admit),
    };
    return whenAdmitted(line, { maxWaitMs, refusal }, gone);
  }

  /** Returns a turn. The first waiter that may have one gets it. */
  release(key: Key): void {
    const left = (this.running.get(key) ?? 0) - 1;
    if (left > 0) this.running.set(key, left);
    else this.running.delete(key);
    this.count--;
    for (const [admit, waiter] of this.waiting) {
      if (this.count >= this.options.atOnce) return;
      if (!this.mayTake(waiter.key)) continue;
      this.add(waiter.key);
      admit();
    }
  }

  private add(key: Key): void {
    this.running.set(key, (this.running.get(key) ?? 0) + 1);
    this.count++;
  }

  private mayTake(key: Key): boolean {
    const { atOnce } = this.options;
    if (this.count >= atOnce || !this.mayHaveMore(key)) return false;
    const beyondFirst = this.count - this.running.size;
    return !this.running.has(key) || beyondFirst < Math.floor(atOnce / 2);
  }

  /** Whether the limit of the key itself permits another turn. */
  private mayHaveMore(key: Key): boolean {
    return (this.running.get(key) ?? 0) < this.options.perKey;
  }
}
