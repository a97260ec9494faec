import { extname, join } from 'node:path';
import { type Transferable, Worker, type WorkerOptions } from 'node:worker_threads';

/** `.ts` when the sources run, as in the tests. */
const EXTENSION = extname(__filename);

/** A thread ended before it answered. */
export class ThreadEndedError extends Error {
  readonly code = 'THREAD_ENDED';
}

/** Whether a thread has ended because it would have taken more memory than it may. */
export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof ThreadEndedError &&
  (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';

/** A thread that answers one request at a time. It does not keep the process alive while it has none. */
export class WorkerThread<Request, Answer> {
  private readonly worker: Worker;
  private readonly exited: Promise<void>;
  private finish?: (answer: Answer) => void;
  private fail?: (error: Error) => void;
  private isEnding = false;

  /**
   * @param file name of the module that the thread runs, without its extension
   * @param onExit called when the thread has exited
   */
  constructor(folder: string, file: string, onExit: () => void, options?: WorkerOptions) {
    this.worker = new Worker(join(folder, `${file}${EXTENSION}`), options);
    this.worker.unref();
    this.worker.on('message', (answer: Answer) => this.finish?.(answer));
    let cause: unknown;
    this.worker.on('error', (error) => (cause = error));
    this.exited = new Promise((resolve) =>
      this.worker.once('exit', () => {
        onExit();
        this.fail?.(new ThreadEndedError('The thread has ended.', { cause }));
        resolve();
      }),
    );
  }

  /**
   * @param transferred parts of the request that the thread gets for itself, such as a port
   * @throws ThreadEndedError when the thread ends first; its cause is the error that ended it, if there is one
   */
  async ask(request: Request, transferred: readonly Transferable[] = []): Promise<Answer> {
    this.worker.ref();
    try {
      return await new Promise<Answer>((resolve, reject) => {
        this.finish = resolve;
        this.fail = reject;
        this.worker.postMessage(request, transferred);
      });
    } finally {
      this.finish = undefined;
      this.fail = undefined;
      if (!this.isEnding) this.worker.unref();
    }
  }

  /** Makes the thread end, and resolves when it has exited. */
  async end(how: (worker: Worker) => unknown = (worker) => worker.terminate()): Promise<void> {
    this.isEnding = true;
    // This may be the only thing that keeps the process alive, and the code after it must still run.
    this.worker.ref();
    how(this.worker);
    await this.exited;
  }
}
