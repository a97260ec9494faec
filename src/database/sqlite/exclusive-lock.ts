/** Thrown if the lock is not free in time; has the code that SQLite itself would use. */
export class LockTimeoutError extends Error {
  readonly code = 'SQLITE_BUSY';

  constructor(milliseconds: number, name = 'writer') {
    super(`The embedded database's ${name} was not free within ${milliseconds} ms.`);
  }
}

interface Waiter {
  grant: () => void;
  timer: NodeJS.Timeout;
}

/** First-come, first-served lock within this process. */
export class ExclusiveLock {
  private held = false;
  private readonly waiters: Waiter[] = [];

  /**
   * @param timeout how long a caller waits, in milliseconds
   * @param name what the lock grants
   */
  constructor(
    private readonly timeout: number,
    private readonly name?: string,
  ) {}

  get isHeld(): boolean {
    return this.held;
  }

  /** Number of waiting callers. */
  get waiting(): number {
    return this.waiters.length;
  }

  /** Resolves when the caller holds the lock. @throws LockTimeoutError */
  acquire(): Promise<void> {
    if (!this.held) {
      this.held = true;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        grant: resolve,
        timer: setTimeout(() => {
          this.waiters.splice(this.waiters.indexOf(waiter), 1);
          reject(new LockTimeoutError(this.timeout, this.name));
        }, this.timeout),
      };
      this.waiters.push(waiter);
    });
  }

  /** Hands the lock to the longest-waiting caller. */
  release(): void {
    const next = this.waiters.shift();
    if (!next) {
      this.held = false;
      return;
    }
    clearTimeout(next.timer);
    next.grant();
  }
}
