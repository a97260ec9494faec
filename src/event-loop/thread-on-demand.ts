import { ServiceUnavailableError } from '../errors/domain-errors';
import { type Requester, UserTurns, type UserTurnsLimits } from './user-turns';
import { isOutOfMemory, WorkerThread } from './worker-thread';

/** Limits of a thread, and of each request to it. */
export interface ThreadLimits {
  /** Maximum time of a request. */
  milliseconds: number;
  /** Maximum memory, without that of the module's code. */
  megabytes: number;
  /** Time without a request after which the thread ends, because it keeps several MiB. */
  idleMs: number;
}

/** A request took too much time or memory, and the thread has ended. */
export class TooMuchWorkError extends Error {}

/**
 * Answers requests on a thread, one at a time and users in turn. The thread starts with a request, and ends when it has been idle, or when a
 * request takes too much.
 */
export class ThreadOnDemand<Request, Answer> {
  private readonly turns: UserTurns;
  private thread?: WorkerThread<Request, Answer>;
  private idleTimer?: NodeJS.Timeout;

  /** @param file name of the module that the thread runs, without its extension */
  constructor(
    private readonly folder: string,
    private readonly file: string,
    turns: Omit<UserTurnsLimits, 'atOnce'>,
    private readonly limits: Readonly<ThreadLimits>,
  ) {
    this.turns = new UserTurns({ ...turns, atOnce: 1 });
  }

  /**
   * @throws TooMuchWorkError when the request takes too much time or memory
   * @throws TooManyRequestsError, ServiceUnavailableError when too many requests wait
   * @throws ServiceUnavailableError when the request takes long because the machine is overloaded
   * @throws the signal's reason when the client has gone
   */
  ask(requester: Requester, request: Request): Promise<Answer> {
    return this.turns.run(requester, () => this.askNow(request));
  }

  /** A request that arrives before the thread has exited starts another one. */
  async end(): Promise<void> {
    const { thread } = this;
    this.thread = undefined;
    await thread?.end();
  }

  private async askNow(request: Request): Promise<Answer> {
    clearTimeout(this.idleTimer);
    const thread = (this.thread ??= this.start());
    const { milliseconds, idleMs } = this.limits;
    const used = process.cpuUsage();
    let refusal: Error | undefined;
    const timer = setTimeout(() => {
      const isOverloaded = hasUsedLittle(process.cpuUsage(used), milliseconds);
      refusal = isOverloaded ? new ServiceUnavailableError() : new TooMuchWorkError();
      void thread.end();
    }, milliseconds);
    try {
      return await thread.ask(request);
    } catch (error) {
      if (refusal) throw refusal;
      throw isOutOfMemory(error) ? new TooMuchWorkError() : error;
    } finally {
      clearTimeout(timer);
      this.idleTimer = setTimeout(() => void this.end(), idleMs).unref();
    }
  }

  private start(): WorkerThread<Request, Answer> {
    const thread = new WorkerThread<Request, Answer>(
      this.folder,
      this.file,
      () => {
        if (this.thread === thread) this.thread = undefined;
      },
      { resourceLimits: { maxOldGenerationSizeMb: this.limits.megabytes } },
    );
    return thread;
  }
}

/** Whether this is little CPU time of the process in these milliseconds. Node 20 cannot tell that of one thread. */
const hasUsedLittle = ({ user, system }: NodeJS.CpuUsage, milliseconds: number): boolean =>
  (user + system) / 1000 < milliseconds / 2;
