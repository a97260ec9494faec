import { type DataSource, QueryFailedError } from 'typeorm';
import { type DomainError, InvalidRequestError, ServiceUnavailableError } from '../../errors/domain-errors';
import { type Requester, UserTurns, type UserTurnsLimits } from '../../event-loop/user-turns';
import { isEmbedded, type StatementRunner } from '../statements';
import { EmbeddedSearches } from './embedded-searches';
import { type SearchEngine, SearchTimeoutError } from './search-engine';
import { ServerSearches } from './server-searches';

/** How long one search may take, in seconds. To read a million comments takes a server 4. */
const MAX_SECONDS = 20;
const MAX_WAIT_MS = 30_000;
/** The limits of one kind of statement, and what is answered when one takes too long. */
type SearchLimits = Omit<UserTurnsLimits, 'atOnce'> & { late: () => DomainError };

/** How many wait: of all users, and of one. */
const SEARCHES: SearchLimits = {
  name: 'searches',
  waiting: 100,
  waitingOfUser: 10,
  waitMs: MAX_WAIT_MS,
  late: searchIsLate,
};
/** Lists come many at once, from one page of a client, and are short beside searches. */
const LISTS: SearchLimits = {
  name: 'long_lists',
  waiting: 1000,
  waitingOfUser: 50,
  waitMs: MAX_WAIT_MS,
  late: () => new ServiceUnavailableError(),
};

/** What runs elsewhere than a data source's other statements. */
interface Elsewhere {
  searches: Searches;
  /** On the embedded database; apart from searches, so as not to wait for them. */
  lists?: Searches;
}

const elsewhere = new WeakMap<DataSource, Elsewhere>();

/**
 * Runs a SELECT that looks for words in texts (`contains`). A few run at once, one per user, each for a limited time; on the
 * embedded database, on threads of their own.
 *
 * Its `query` rejects with `InvalidRequestError` when it takes too long, with the signal's reason when the client has gone, and as
 * `UserTurns.run` does when there are too many.
 */
export function keywordSearchRunner(dataSource: DataSource, searcher: Requester): StatementRunner {
  return elsewhereOf(dataSource).searches.for(searcher);
}

/** The same for several such SELECTs that belong to one search: they have one turn and one time together. */
export function keywordSearch<T>(
  dataSource: DataSource,
  searcher: Requester,
  work: (runner: StatementRunner) => Promise<T>,
): Promise<T> {
  return elsewhereOf(dataSource).searches.run(searcher, work);
}

/**
 * Runs a SELECT that may read whole tables because no index fits. A server runs it beside other statements; on the embedded
 * database it runs on a thread, apart from searches, and needs a `continuesCondition` to end early.
 */
export function unindexedListRunner(dataSource: DataSource, searcher: Requester): StatementRunner {
  return elsewhereOf(dataSource).lists?.for(searcher) ?? dataSource;
}

function elsewhereOf(dataSource: DataSource): Elsewhere {
  const found = elsewhere.get(dataSource);
  if (!found) throw new Error('useSearches has not been called.');
  return found;
}

/** Prepares a data source for both. What it starts ends when the data source is destroyed. */
export function useSearches(dataSource: DataSource, maxSeconds = MAX_SECONDS): void {
  if (!isEmbedded(dataSource)) {
    const searches = new Searches(dataSource, new ServerSearches(dataSource), SEARCHES, maxSeconds);
    elsewhere.set(dataSource, { searches });
    return;
  }
  const engines = [new EmbeddedSearches(dataSource), new EmbeddedSearches(dataSource)] as const;
  const [forSearches, forLists] = engines;
  elsewhere.set(dataSource, {
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

/** Statements of one data source that run on an engine, each when it is its user's turn. */
class Searches {
  private readonly turns: UserTurns;
  /** What is answered when a statement takes too long. */
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

  /** What is left of the time: whole seconds, unless it is all of it, since they are part of the statement on some servers. */
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

function searchIsLate(): DomainError {
  return InvalidRequestError.of(
    'keyword',
    'keyword takes too long to look for. Look in fewer projects, or use filters.',
  );
}
