import { type Environment } from '../config/environment';
import { TooManyRequestsError } from '../errors/domain-errors';
import { SharedTurns } from '../limits/shared-turns';

/** The user id of processes that do not run for a user. */
export const NOBODY = 0;

/**
 * The kinds of git processes: those that last as long as a client sends or receives, those that answer a request at git's own pace, and
 * those without a waiting client, such as the recording of pushes.
 */
export type GitPool = 'transfers' | 'reads' | 'service';

/** Maximum number of waiting processes of one user and kind. */
const MAX_WAITING = 64;
/** The queue of the service's own processes. It is long, because some of their work, such as keeping the head of a pull request, is tried once. */
const QUEUE_OF_SERVICE = { name: NOBODY, maxWaiting: 1000 };
const READ_WAIT_MS = 30_000;

/** The process for which a turn is taken. */
export interface GitTurn {
  pool: GitPool;
  userId: number;
  /** Aborted to leave the queue. */
  signal?: AbortSignal;
}

/** Limits the concurrent git processes of each kind, and the share of each user in them, so that no kind and no user stops others. */
export class GitPools {
  private readonly turns: Record<GitPool, SharedTurns<number | symbol>>;

  constructor(environment: Pick<Environment, 'GIT_PROCESSES' | 'GIT_PROCESSES_PER_USER' | 'GIT_TIMEOUT'>) {
    const { transfers, reads, service } = poolSizes(environment.GIT_PROCESSES);
    const share = environment.GIT_PROCESSES_PER_USER;
    // A client that waits for a transfer loses nothing, and an error would fail its build.
    const longWaitMs = environment.GIT_TIMEOUT * 1000;
    this.turns = {
      transfers: turnsOf(transfers, { share, maxWaitMs: longWaitMs }),
      reads: turnsOf(reads, { share, maxWaitMs: READ_WAIT_MS }),
      service: turnsOf(service, { share, most: service / 2, maxWaitMs: longWaitMs }),
    };
  }

  /**
   * Waits for a turn.
   * @returns the function that returns the turn
   * @throws TooManyRequestsError naming the limit when the queue is full, or the wait too long; the reason of the signal
   */
  async take({ pool, userId, signal }: GitTurn): Promise<() => void> {
    const turns = this.turns[pool];
    const isService = userId === NOBODY;
    // The service's own processes have no share: each counts as a user of its own.
    const key = isService ? Symbol() : userId;
    await turns.take(key, { queue: isService ? QUEUE_OF_SERVICE : undefined, gone: signal });
    return () => turns.release(key);
  }
}

/** Returns how many of the concurrent processes each kind gets. The service can always work on two things at once, such as `git gc`. */
export function poolSizes(total: number): Record<GitPool, number> {
  const transfers = Math.max(1, Math.floor(total / 2));
  const service = Math.max(2, Math.floor(total / 8));
  return { transfers, reads: Math.max(1, total - transfers - service), service };
}

function turnsOf(
  atOnce: number,
  { share, most = share, maxWaitMs }: { share: number; most?: number; maxWaitMs: number },
): SharedTurns<number | symbol> {
  const perKey = Math.max(1, Math.floor(Math.min(share, most)));
  const limits = {
    perKey: [perKey, perKey < share ? 'GIT_PROCESSES' : 'GIT_PROCESSES_PER_USER'],
    atOnce: [atOnce, 'GIT_PROCESSES'],
  } as const;
  return new SharedTurns({
    atOnce,
    perKey,
    maxWaiting: MAX_WAITING,
    maxWaitMs,
    refusal: (limit) => {
      const [number, setting] = limits[limit];
      return TooManyRequestsError.after('git_processes', number, READ_WAIT_MS, setting);
    },
  });
}
