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
  /** Creates the error for exceeding a limit. */
  refusal: () => Error;
}

/**
 * Turns that several keys, such as users, share. The turns that keys hold beyond their first one take at most half of all turns, so a few
 * keys with many turns leave room for others. Further work waits in a bounded queue for each key, for a bounded time, and is admitted in
 * the order of arrival, except where its key may not have another turn yet.
 */
export class SharedTurns<Key> {
  private readonly running = new Map<Key, number>();
  /** Number of turns in use. */
  private count = 0;
  /** By the call that admits a waiter, in order of arrival. */
  private readonly waiting = new Map<() => void, Key>();

  constructor(private readonly options: SharedTurnsOptions) {}

  /**
   * Takes a turn, to be returned with `release`.
   * @param gone aborted to leave the queue
   * @returns undefined when the key may have a turn at once; otherwise a promise that rejects with the refusal after the maximum wait, or
   * with the signal's reason when it is aborted
   * @throws the refusal when the queue of the key is full
   */
  take(key: Key, gone?: AbortSignal): Promise<void> | undefined {
    if (this.mayTake(key)) {
      this.add(key);
      return undefined;
    }
    const waiters = [...this.waiting.values()].filter((waiter) => waiter === key);
    if (waiters.length >= this.options.maxWaiting) throw this.options.refusal();
    const line = {
      add: (admit: () => void) => this.waiting.set(admit, key),
      delete: (admit: () => void) => this.waiting.delete(admit),
    };
    return whenAdmitted(line, this.options, gone);
  }

  /** Returns a turn. The first waiter that may have one gets it. */
  release(key: Key): void {
    const left = (this.running.get(key) ?? 0) - 1;
    if (left > 0) this.running.set(key, left);
    else this.running.delete(key);
    this.count--;
    for (const [admit, waiter] of this.waiting) {
      if (this.count >= this.options.atOnce) return;
      if (!this.mayTake(waiter)) continue;
      this.add(waiter);
      admit();
    }
  }

  private add(key: Key): void {
    this.running.set(key, (this.running.get(key) ?? 0) + 1);
    this.count++;
  }

  private mayTake(key: Key): boolean {
    const { atOnce, perKey } = this.options;
    const own = this.running.get(key) ?? 0;
    if (this.count >= atOnce || own >= perKey) return false;
    const beyondFirst = this.count - this.running.size;
    return own === 0 || beyondFirst < Math.floor(atOnce / 2);
  }
}
