import { randomUUID } from 'node:crypto';
import { type PoolConnection } from 'mysql2';
import { type DataSource } from 'typeorm';
import { destroy, type ServerConnections, serverConnections } from '../mysql/server-connections';
import { type SearchEngine, SearchTimeoutError } from './search-engine';

/** Searches may take this part of the connections at once, so that the rest is left for what is quick. */
const SHARE_OF_POOL = 1 / 3;
/** What MariaDB and MySQL say when the time is over. */
const TIME_IS_OVER = new Set<unknown>([1969, 3024]);
/** How much later than the server a search is given up here, in milliseconds. */
const GRACE_MS = 1000;

/** Searches on a server, which limits their time itself. */
export class ServerSearches implements SearchEngine {
  readonly atOnce: number;
  private readonly connections: ServerConnections;
  /** Tells the server's list of statements which are this process's searches. */
  private readonly mark = `/* search ${randomUUID()} */`;

  constructor(private readonly dataSource: DataSource) {
    const { poolSize = 10 } = dataSource.options;
    this.atOnce = Math.max(1, Math.floor(poolSize * SHARE_OF_POOL));
    this.connections = serverConnections(dataSource);
  }

  async search(sql: string, parameters: unknown[], signal: AbortSignal, seconds: number): Promise<unknown[]> {
    const connection = await this.connections.acquire();
    let killing: Promise<void> | undefined;
    const abort = (): void => {
      killing ??= this.kill(connection);
    };
    if (signal.aborted) {
      connection.release();
      throw signal.reason;
    }
    signal.addEventListener('abort', abort);
    try {
      return (await this.connections.send(connection, this.limited(sql, seconds), parameters, {
        limit: seconds * 1000 + GRACE_MS,
        isInTransaction: false,
      })) as unknown[];
    } catch (error) {
      throw TIME_IS_OVER.has((error as { errno?: number }).errno) ? new SearchTimeoutError() : error;
    } finally {
      signal.removeEventListener('abort', abort);
      if (killing) {
        // It may come late, and must not meet another statement.
        await killing;
        destroy(connection);
      }
      connection.release();
    }
  }

  private limited(sql: string, seconds: number): string {
    return this.dataSource.options.type === 'mysql'
      ? sql.replace(
          /^\s*SELECT\b/,
          `SELECT /*+ MAX_EXECUTION_TIME(${Math.ceil(seconds * 1000)}) */ ${this.mark}`,
        )
      : `SET STATEMENT max_statement_time = ${seconds} FOR ${sql.replace(/^\s*SELECT\b/, `SELECT ${this.mark}`)}`;
  }

  /**
   * Ends what a connection runs, if it is a search of this process: where a balancer stands before several servers, another of
   * them may have the same number for a connection of somebody else. What is not ended so ends by its time.
   */
  private async kill({ threadId }: PoolConnection): Promise<void> {
    try {
      const found = await this.dataSource.query<unknown[]>(
        'SELECT ID FROM information_schema.PROCESSLIST WHERE ID = ? AND LOCATE(?, INFO) > 0',
        [threadId, this.mark],
      );
      if (found.length > 0) await this.dataSource.query(`KILL QUERY ${threadId}`);
    } catch {
      // It has ended meanwhile, or ends by its time.
    }
  }
}
