import { ServiceUnavailableError, TooManyRequestsError } from '../../errors/domain-errors';

/** Who searches, and until when somebody waits for the result. */
export interface Searcher {
  userId: number;
  /** Aborted when the client has gone. */
  signal: AbortSignal;
}

/** How many searches there may be in this process. */
export interface SearchLimits {
  /** Searches at work at once. One user has at most one of them. */
  atOnce: number;
  /** Searches that wait, all users together. */
  waiting: number;
  /** Searches of one user that wait. */
  waitingOfUser: number;
  /** How long one waits, in milliseconds. */
  waitMs: number;
}

interface Waiting {
  start: () => void;
}

/**
 * Gives searches their turn: a few at once, one a user, the others in a queue that goes round the users, so that nobody waits
 * for all that another has asked.
 */
export class SearchTurns {
  private readonly working = new Set<number>();
  /** In the order in which the users come next. */
  private readonly queues = new Map<number, Set<Waiting>>();
  private waiting = 0;

  constructor(private readonly limits: SearchLimits) {}

  /**
   * Does `work` when it is the user's turn. A search whose client goes leaves the queue, or is given up; its turn ends when
   * `work` has ended, which has to look at the signal itself.
   * @throws TooManyRequestsError when too many searches of the user wait already
   * @throws ServiceUnavailableError when too many searches wait, or this one has waited too long
   * @throws the signal's reason when the client has gone
   */
  async run<T>({ userId, signal }: Searcher, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.isFree(userId)) this.working.add(userId);
    else await this.turnOf(userId, signal);
    const working = this.take(signal, work).finally(() => {
      this.working.delete(userId);
      this.startNext();
    });
    return unlessAborted(signal, working);
  }

  private async take<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    return work();
  }

  private isFree(userId: number): boolean {
    return this.working.size < this.limits.atOnce && !this.working.has(userId);
  }

  /** Resolves when the turn has been taken. */
  private turnOf(userId: number, signal: AbortSignal): Promise<void> {
    const { waiting, waitingOfUser, waitMs } = this.limits;
    const queue = this.queues.get(userId) ?? new Set();
    if (queue.size >= waitingOfUser)
      return Promise.reject(TooManyRequestsError.after(waitingOfUser + 1, waitMs));
    if (this.waiting >= waiting) return Promise.reject(new ServiceUnavailableError());
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        queue.delete(entry);
        this.waiting--;
        if (queue.size === 0) this.queues.delete(userId);
      };
      const giveUp = (reason: Error): void => {
        leave();
        reject(reason);
      };
      const abort = (): void => giveUp(signal.reason as Error);
      const timer = setTimeout(() => giveUp(new ServiceUnavailableError()), waitMs);
      const start = (): void => {
        leave();
        resolve();
      };
      const entry: Waiting = { start };
      signal.addEventListener('abort', abort);
      queue.add(entry);
      this.queues.set(userId, queue);
      this.waiting++;
    });
  }

  private startNext(): void {
    for (const [userId, queue] of this.queues) {
      if (!this.isFree(userId)) continue;
      const [next] = queue;
      this.working.add(userId);
      next?.start();
      if (queue.size > 0) {
        this.queues.delete(userId);
        this.queues.set(userId, queue);
      }
      return;
    }
  }
}

/** Settles as `work` does, or rejects with the signal's reason as soon as that is aborted. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
