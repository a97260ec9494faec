/** Runs searches of one data source. */
export interface SearchEngine {
  /** Maximum number of concurrent searches. */
  readonly atOnce: number;

  /**
   * Returns the rows of a SELECT, and stops it if the signal is aborted; settles only when it no longer runs.
   * @param seconds time limit
   * @throws SearchTimeoutError if it takes longer
   */
  search(sql: string, parameters: unknown[], signal: AbortSignal, seconds: number): Promise<unknown[]>;
}

/** A search exceeded its time limit. */
export class SearchTimeoutError extends Error {
  constructor() {
    super('The search took too long.');
  }
}
