import { type LimitName, ServiceUnavailableError, TooManyRequestsError } from '../errors/domain-errors';

/** The user who makes a request, and whether somebody still waits for the response. */
export interface Requester {
  readonly userId: number;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

/** How much of one kind of work there may be in this process. */
export interface UserTurnsLimits {
  /** For the operator. */
  name: LimitName;
  /** Pieces of work under way at once. One user has at most one of them. */
  atOnce: number;
  /** Pieces of work that wait, of all users. */
  waiting: number;
  /** Pieces of work that wait, of one user. */
  waitingOfUser: number;
  /** How long one waits, in milliseconds. */
  waitMs: number;
}

interface Waiting {
  start: () => void;
}

/**
 * Limits expensive work, such as searches, to a few pieces at once, one per user. The others wait in a queue that takes users
 * in turn, so that nobody waits for everything that another user has requested.
 */
export class UserTurns {
  private readonly working = new Set<number>();
  /** In the order in which the users come next. */
  private readonly queues = new Map<number, Set<Waiting>>();
  private waiting = 0;

  constructor(private readonly limits: UserTurnsLimits) {}

  /**
   * Does `work` when it is the user's turn. Work whose client disconnects leaves the queue, or is abandoned; its turn ends when
   * `work` has ended, which has to watch the signal itself.
   * @throws TooManyRequestsError when the user has too much work waiting already
   * @throws ServiceUnavailableError when too much work waits, or this piece has waited too long
   * @throws the signal's reason when the client has gone
   */
  async run<T>({ userId, signal }: Requester, work: () => Promise<T>): Promise<T> {
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

  /** Resolves once the turn has come. */
  private turnOf(userId: number, signal: AbortSignal): Promise<void> {
    const { name, waiting, waitingOfUser, waitMs } = this.limits;
    const queue = this.queues.get(userId) ?? new Set();
    if (queue.size >= waitingOfUser)
      return Promise.reject(TooManyRequestsError.after(name, waitingOfUser + 1, waitMs));
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
