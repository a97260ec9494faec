import { type LimitName, ServiceUnavailableError, TooManyRequestsError } from '../errors/domain-errors';

/** The user who makes a request, and whether the client still waits for the response. */
export interface Requester {
  readonly userId: number;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

/** Limits on one kind of work in this process. */
export interface UserTurnsLimits {
  /** For the operator. */
  name: LimitName;
  /** Maximum number of concurrent pieces of work. A user has at most one of them. */
  atOnce: number;
  /** Maximum number of waiting pieces of work of all users. */
  waiting: number;
  /** Maximum number of waiting pieces of work of one user. */
  waitingOfUser: number;
  /** Maximum wait, in milliseconds. */
  waitMs: number;
}

interface Waiting {
  start: () => void;
}

/**
 * Limits expensive work, such as searches, to a few pieces at once, one per user. The others wait in a queue that alternates
 * between users, so that no user waits for all the work of another.
 */
export class UserTurns {
  private readonly working = new Set<number>();
  /** Queues by user; users are served in map order. */
  private readonly queues = new Map<number, Set<Waiting>>();
  private waiting = 0;

  constructor(private readonly limits: UserTurnsLimits) {}

  /**
   * Runs `work` when it is the user's turn. Work whose client disconnects leaves the queue, or is abandoned; its turn ends when
   * `work` ends, which must watch the signal itself.
   * @throws TooManyRequestsError when the user already has too much work waiting
   * @throws ServiceUnavailableError when too much work is waiting, or this piece has waited too long
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
    return rejectOnAbort(signal, working);
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

/** Settles like `work`, or rejects with the signal's reason as soon as it is aborted. */
function rejectOnAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
