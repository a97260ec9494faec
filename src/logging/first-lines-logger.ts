import { type Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { LimitedLogger } from './limited-logger';

const WINDOW_MS = 60_000;
/** Maximum number of keys distinguished in a window. */
const MAX_KEYS = 1000;
/** Maximum number of first lines in a window: an attacker may have any number of addresses. */
const MAX_FIRST_LINES = 200;

/** Logs the first event of each key, such as a user, in a minute, and a few of the others, so that one busy client hides no other one. */
export class FirstLinesLogger {
  private readonly seen = new LRUCache<string, true>({ max: MAX_KEYS, ttl: WINDOW_MS });
  private readonly firsts: LimitedLogger;
  private readonly others: LimitedLogger;

  constructor(logger: Pick<Logger, 'warn' | 'error'>) {
    this.firsts = new LimitedLogger(logger, MAX_FIRST_LINES);
    this.others = new LimitedLogger(logger);
  }

  /** @param key identifies the client and the event; not logged */
  warn(key: string, details: object, message: string): void {
    const isFirst = !this.seen.has(key);
    if (isFirst) this.seen.set(key, true);
    (isFirst ? this.firsts : this.others).warn(details, message);
  }
}
