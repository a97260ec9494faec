import { parentPort, workerData } from 'node:worker_threads';
import { CONTAINS_FUNCTION, containsFolded, CONTINUES_FUNCTION } from '../sql/contains';
import { PAGE_CACHE, SqliteDatabase } from '../sqlite/node-sqlite';

/** Start parameters of a search thread. */
export interface SearchWorkerData {
  /** Path of the database. */
  file: string;
  /** A single number; any value but 0 stops the running search. */
  stop: Int32Array;
}

/** A SELECT to run. */
export interface SearchRequest {
  sql: string;
  parameters: unknown[];
}

/** The rows of the SELECT, or its error. */
export type SearchAnswer = { rows: unknown[] } | { message: string; code?: string };

const BUSY_TIMEOUT_MS = 1000;

/** Runs searches of the embedded database on this thread and responds to each request with the rows. */
function answerSearches(port: NonNullable<typeof parentPort>, { file, stop }: SearchWorkerData): void {
  const database = new SqliteDatabase(file, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  database.pragma(PAGE_CACHE);
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
