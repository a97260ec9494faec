import pLimit from 'p-limit';
import { type DataSource, QueryFailedError } from 'typeorm';
import { InvalidRequestError } from '../errors/domain-errors';
import { isEmbedded, type StatementRunner } from './statements';

/** Searches may take this part of the connections at once, so that the rest is left for what is quick. */
const SHARE_OF_POOL = 1 / 3;
/** So long a server looks for words; a million comments take it 4. */
const MAX_SECONDS = 20;
/** What MariaDB and MySQL say when the time is over. */
const TIME_IS_OVER = new Set<unknown>([1969, 3024]);

const searches = new WeakMap<DataSource, ServerSearches>();

/**
 * What to run a SELECT on that looks for words in texts (`contains`), which may take seconds: on a server only a few run at
 * once and the others wait, all that ask the same data source together.
 */
export function searchesOf(dataSource: DataSource): StatementRunner {
  if (isEmbedded(dataSource)) return dataSource;
  const found = searches.get(dataSource) ?? new ServerSearches(dataSource);
  searches.set(dataSource, found);
  return found;
}

/** Runs SELECTs, a few at once and none for ever. */
export class ServerSearches implements StatementRunner {
  private readonly inTurn: ReturnType<typeof pLimit>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly maxSeconds = MAX_SECONDS,
  ) {
    const { poolSize = 10 } = dataSource.options;
    this.inTurn = pLimit(Math.max(1, Math.floor(poolSize * SHARE_OF_POOL)));
  }

  /** @throws InvalidRequestError when it takes too long */
  async query<T>(sql: string, parameters?: unknown[]): Promise<T> {
    try {
      return await this.inTurn(() => this.dataSource.query<T>(this.limited(sql), parameters));
    } catch (error) {
      if (!isTimeOver(error)) throw error;
      throw InvalidRequestError.of(
        'keyword',
        'keyword takes too long to look for. Look in fewer projects, or use filters.',
      );
    }
  }

  private limited(sql: string): string {
    return this.dataSource.options.type === 'mysql'
      ? sql.replace(/^\s*SELECT\b/, `SELECT /*+ MAX_EXECUTION_TIME(${this.maxSeconds * 1000}) */`)
      : `SET STATEMENT max_statement_time = ${this.maxSeconds} FOR ${sql}`;
  }
}

const isTimeOver = (error: unknown): boolean =>
  error instanceof QueryFailedError && TIME_IS_OVER.has((error.driverError as { errno?: number }).errno);
