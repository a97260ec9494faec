import { type DataSource, QueryFailedError } from 'typeorm';
import { type DomainError, InvalidRequestError, ServiceUnavailableError } from '../../errors/domain-errors';
import { type Requester, UserTurns, type UserTurnsLimits } from '../../event-loop/user-turns';
import { isEmbedded, type StatementRunner } from '../sql/statements';
import { EmbeddedSearches } from './embedded-searches';
import { type SearchEngine, SearchTimeoutError } from './search-engine';
import { ServerSearches } from './server-searches';

/** Default time limit of a search, in seconds. A server needs 4 to read a million comments. */
const MAX_SECONDS = 20;
const MAX_WAIT_MS = 30_000;
/** Limits of one kind of statement, and the error for one that takes too long. */
type SearchLimits = Omit<UserTurnsLimits, 'atOnce'> & { late: () => DomainError };

/** Limits on the number that wait: of all users, and of one. */
const SEARCHES: SearchLimits = {
  name: 'searches',
  waiting: 100,
  waitingOfUser: 10,
  waitMs: MAX_WAIT_MS,
  late: searchTimeoutError,
};
/** One page of a client requests many lists at once, which are short compared with searches. */
const LISTS: SearchLimits = {
  name: 'long_lists',
  waiting: 1000,
  waitingOfUser: 50,
  waitMs: MAX_WAIT_MS,
  late: () => new ServiceUnavailableError(),
};

/** Runners of statements that run separately from a data source's others. */
interface SeparateRunners {
  searches: Searches;
  /** Only on the embedded database; separate so that lists do not wait for searches. */
  lists?: Searches;
}

const separateRunners = new WeakMap<DataSource, SeparateRunners>();

/**
 * Returns a runner for SELECTs that search texts for words (`contains`). A few run at once, one per user, each with a time limit; on the
 * embedded database, they run on threads of their own.
 *
 * Its `query` rejects with `InvalidRequestError` on a timeout, with the signal's reason if the client has disconnected, and like
 * `UserTurns.run` if too many are waiting.
 */
export function keywordSearchRunner(dataSource: DataSource, searcher: Requester): StatementRunner {
  return separateRunnersOf(dataSource).searches.for(searcher);
}

/** Same for several SELECTs of one search, which share one turn and one time limit. */
export function keywordSearch<T>(
  dataSource: DataSource,
  searcher: Requester,
  work: (runner: StatementRunner) => Promise<T>,
): Promise<T> {
  return separateRunnersOf(dataSource).searches.run(searcher, work);
}

/**
 * Returns a runner for SELECTs that may read whole tables because no index fits. A server runs them with its other statements; the embedded
 * database runs them on threads, separately from searches, and they need a `continuesCondition` to stop early.
 */
export function unindexedListRunner(dataSource: DataSource, searcher: Requester): StatementRunner {
  return separateRunnersOf(dataSource).lists?.for(searcher) ?? dataSource;
}

function separateRunnersOf(dataSource: DataSource): SeparateRunners {
  const found = separateRunners.get(dataSource);
  if (!found) throw new Error('useSearches has not been called.');
  return found;
}

/** Prepares a data source for both. Threads that it starts end when the data source is destroyed. */
export function useSearches(dataSource: DataSource, maxSeconds = MAX_SECONDS): void {
  if (!isEmbedded(dataSource)) {
    const searches = new Searches(dataSource, new ServerSearches(dataSource), SEARCHES, maxSeconds);
    separateRunners.set(dataSource, { searches });
    return;
  }
  const engines = [new EmbeddedSearches(dataSource), new EmbeddedSearches(dataSource)] as const;
  const [forSearches, forLists] = engines;
  separateRunners.set(dataSource, {
    searches: new Searches(dataSource, forSearches, SEARCHES, maxSeconds),
    lists: new Searches(dataSource, forLists, LISTS, maxSeconds),
  });
  const { driver } = dataSource;
  const disconnect = driver.disconnect.bind(driver);
  driver.disconnect = async () => {
    await Promise.all(engines.map((engine) => engine.close()));
    await disconnect();
  };
}

/** Runs statements of one data source on an engine, each in its user's turn. */
class Searches {
  private readonly turns: UserTurns;
  /** Creates the error for a statement that takes too long. */
  private readonly late: () => DomainError;

  constructor(
    private readonly dataSource: DataSource,
    private readonly engine: SearchEngine,
    { late, ...limits }: SearchLimits,
    private readonly maxSeconds: number,
  ) {
    this.turns = new UserTurns({ ...limits, atOnce: engine.atOnce });
    this.late = late;
  }

  for(searcher: Requester): StatementRunner {
    return {
      query: <T>(sql: string, parameters: unknown[] = []): Promise<T> =>
        this.run(searcher, (runner) => runner.query<T>(sql, parameters)),
    };
  }

  run<T>(searcher: Requester, work: (runner: StatementRunner) => Promise<T>): Promise<T> {
    return this.turns.run(searcher, () => {
      const end = performance.now() + this.maxSeconds * 1000;
      return work({
        query: <Rows>(sql: string, parameters: unknown[] = []): Promise<Rows> =>
          this.search(sql, parameters, searcher.signal, this.secondsUntil(end)) as Promise<Rows>,
      });
    });
  }

  /** Returns the remaining time: the full limit, or else whole seconds, because the number is part of the statement on some servers. */
  private secondsUntil(end: number): number {
    const left = (end - performance.now()) / 1000;
    return left > this.maxSeconds - 1 ? this.maxSeconds : Math.ceil(left);
  }

  private async search(
    sql: string,
    parameters: unknown[],
    signal: AbortSignal,
    seconds: number,
  ): Promise<unknown[]> {
    const { logger } = this.dataSource;
    if (seconds <= 0) throw this.late();
    signal.throwIfAborted();
    logger.logQuery(sql, parameters);
    try {
      return await this.engine.search(sql, parameters, signal, seconds);
    } catch (error) {
      if (error instanceof SearchTimeoutError) throw this.late();
      logger.logQueryError(error as Error, sql, parameters);
      throw new QueryFailedError(sql, parameters, error as Error);
    }
  }
}

function searchTimeoutError(): DomainError {
  return InvalidRequestError.of(
    'keyword',
    'The search for keyword takes too long. Search fewer projects, or add filters.',
  );
}
