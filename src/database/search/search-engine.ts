/** Runs searches of one data source. */
export interface SearchEngine {
  /** Searches that may run at once. */
  readonly atOnce: number;

  /**
   * Gives the rows of a SELECT, and stops it when the signal is aborted; settles only when it no longer runs.
   * @param seconds how long it may take
   * @throws SearchTimeoutError when it takes too long
   */
  search(sql: string, parameters: unknown[], signal: AbortSignal, seconds: number): Promise<unknown[]>;
}

/** A search has taken too long. */
export class SearchTimeoutError extends Error {
  constructor() {
    super('The search took too long.');
  }
}
