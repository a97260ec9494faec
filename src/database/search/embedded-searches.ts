import { type DataSource } from 'typeorm';
import { ThreadEndedError, WorkerThread } from '../../event-loop/worker-thread';
import { type SearchEngine, SearchTimeoutError } from './search-engine';
import { type SearchAnswer, type SearchRequest, type SearchWorkerData } from './search-worker';

const AT_ONCE = 2;

/** Runs searches of the embedded database, each on a thread with its own connection; threads start on demand. */
export class EmbeddedSearches implements SearchEngine {
  readonly atOnce = AT_ONCE;
  private readonly idle: SearchThread[] = [];
  private readonly threads = new Set<SearchThread>();
  private isClosed = false;

  constructor(private readonly dataSource: DataSource) {}

  async search(sql: string, parameters: unknown[], signal: AbortSignal, seconds: number): Promise<unknown[]> {
    if (this.isClosed) throw new ThreadEndedError('The embedded database is closed.');
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

/** A thread that runs one search at a time. */
class SearchThread {
  private readonly stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  private readonly thread: WorkerThread<SearchRequest, SearchAnswer>;

  /** @param ended called when the thread has exited */
  constructor(file: string, ended: () => void) {
    const workerData: SearchWorkerData = { file, stop: this.stop };
    this.thread = new WorkerThread(__dirname, 'search-worker', ended, { workerData });
  }

  async search(request: SearchRequest): Promise<unknown[]> {
    Atomics.store(this.stop, 0, 0);
    const answer = await this.thread.ask(request);
    if ('rows' in answer) return answer.rows;
    throw Object.assign(new Error(answer.message), { code: answer.code });
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
  close(): Promise<void> {
    this.stopSearch();
    return this.thread.end((worker) => worker.postMessage('close'));
  }
}
