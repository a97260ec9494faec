import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type DataSource } from 'typeorm';
import { type SearchEngine, SearchTimeoutError } from './search-engine';
import { type SearchAnswer, type SearchRequest, type SearchWorkerData } from './search-worker';

const AT_ONCE = 2;
/** `.ts` when the sources run, as in the tests. */
const EXTENSION = extname(__filename);

/** Runs searches of the embedded database, each on a thread with its own connection; threads start on demand. */
export class EmbeddedSearches implements SearchEngine {
  readonly atOnce = AT_ONCE;
  private readonly idle: SearchThread[] = [];
  private readonly threads = new Set<SearchThread>();
  private isClosed = false;

  constructor(private readonly dataSource: DataSource) {}

  async search(sql: string, parameters: unknown[], signal: AbortSignal, seconds: number): Promise<unknown[]> {
    if (this.isClosed) throw new SearchThreadError('The embedded database is closed.');
    const thread = this.idle.pop() ?? this.start();
    const abort = (): void => thread.stopSearch();
    let isLate = false;
    const timer = setTimeout(() => {
      // Not derived from the clock: a timer counts from the start of its event loop turn, and may fire before the clock has reached the
      // time.
      isLate = !thread.isStopped;
      abort();
    }, seconds * 1000);
    signal.addEventListener('abort', abort);
    try {
      return await thread.search({ sql, parameters });
    } catch (error) {
      // oxlint-disable-next-line typescript/no-unnecessary-condition -- the timer sets it
      throw isLate ? new SearchTimeoutError() : error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      if (this.threads.has(thread)) this.idle.push(thread);
    }
  }

  /** Stops the running searches and rejects new ones. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(Array.from(this.threads, (thread) => thread.close()));
  }

  private start(): SearchThread {
    const thread = new SearchThread(this.dataSource.options.database as string, () => {
      this.threads.delete(thread);
      const index = this.idle.indexOf(thread);
      if (index !== -1) this.idle.splice(index, 1);
    });
    this.threads.add(thread);
    return thread;
  }
}

/** The thread of a search ended before the search did. */
export class SearchThreadError extends Error {
  readonly code = 'SEARCH_THREAD_ENDED';
}

/** A thread that runs one search at a time. */
class SearchThread {
  private readonly worker: Worker;
  private readonly stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  private readonly exited: Promise<void>;
  private finish?: (answer: SearchAnswer) => void;
  private fail?: (error: Error) => void;
  private isClosing = false;

  /** @param ended called when the thread has exited */
  constructor(file: string, ended: () => void) {
    const workerData: SearchWorkerData = { file, stop: this.stop };
    this.worker = new Worker(join(__dirname, `search-worker${EXTENSION}`), { workerData });
    // Idle threads must not keep the process alive.
    this.worker.unref();
    this.worker.on('message', (answer: SearchAnswer) => this.finish?.(answer));
    let cause: unknown;
    this.worker.on('error', (error) => (cause = error));
    this.exited = new Promise((resolve) =>
      this.worker.once('exit', () => {
        ended();
        this.fail?.(new SearchThreadError('The thread of the search has ended.', { cause }));
        resolve();
      }),
    );
  }

  async search(request: SearchRequest): Promise<unknown[]> {
    Atomics.store(this.stop, 0, 0);
    this.worker.ref();
    try {
      const answer = await new Promise<SearchAnswer>((resolve, reject) => {
        this.finish = resolve;
        this.fail = reject;
        this.worker.postMessage(request);
      });
      if ('rows' in answer) return answer.rows;
      throw Object.assign(new Error(answer.message), { code: answer.code });
    } finally {
      this.finish = undefined;
      this.fail = undefined;
      if (!this.isClosing) this.worker.unref();
    }
  }

  /** Whether the current or last search has been stopped. */
  get isStopped(): boolean {
    return Atomics.load(this.stop, 0) !== 0;
  }

  /** Stops the running search, within the time of one text. */
  stopSearch(): void {
    Atomics.store(this.stop, 0, 1);
  }

  /** Stops the thread. Resolves when it has closed its connection and exited. */
  async close(): Promise<void> {
    this.isClosing = true;
    this.stopSearch();
    // This may be the only thing that keeps the process alive, and the code after it must still run.
    this.worker.ref();
    this.worker.postMessage('close');
    await this.exited;
  }
}
