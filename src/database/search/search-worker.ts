import { parentPort, workerData } from 'node:worker_threads';
import { CONTAINS_FUNCTION, containsFolded, CONTINUES_FUNCTION } from '../contains';
import { SqliteDatabase } from '../sqlite/node-sqlite';

/** What a thread of searches is started with. */
export interface SearchWorkerData {
  /** The database. */
  file: string;
  /** One number: anything but 0 ends the search that runs. */
  stop: Int32Array;
}

/** A SELECT to run. */
export interface SearchRequest {
  sql: string;
  parameters: unknown[];
}

/** Its rows, or why there are none. */
export type SearchAnswer = { rows: unknown[] } | { message: string; code?: string };

const BUSY_TIMEOUT_MS = 1000;

/** Runs the searches of the embedded database on a thread of their own: answers each request with its rows. */
function answerSearches(port: NonNullable<typeof parentPort>, { file, stop }: SearchWorkerData): void {
  const database = new SqliteDatabase(file, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  database.function(CONTAINS_FUNCTION, { deterministic: true }, containsFolded);
  database.function(CONTINUES_FUNCTION, { deterministic: false }, () => {
    if (Atomics.load(stop, 0) !== 0) throw new Error('The search was stopped.');
    return 1;
  });
  port.on('message', (request: SearchRequest | 'close') => {
    if (request === 'close') {
      database.close();
      port.close();
    } else {
      port.postMessage(answer(database, request));
    }
  });
}

function answer(database: SqliteDatabase, { sql, parameters }: SearchRequest): SearchAnswer {
  try {
    return { rows: database.prepare(sql).all(...parameters) };
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    return { message, code };
  }
}

if (parentPort) answerSearches(parentPort, workerData as SearchWorkerData);
