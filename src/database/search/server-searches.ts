import { randomUUID } from 'node:crypto';
import { type PoolConnection } from 'mysql2';
import { type DataSource } from 'typeorm';
import { destroy } from '../mysql/connection-socket';
import { type ServerConnections, serverConnections } from '../mysql/server-connections';
import { type SearchEngine, SearchTimeoutError } from './search-engine';

/** Share of the connections that searches may use at once; the rest is left for quick statements. */
const SHARE_OF_POOL = 1 / 3;
/** Errors of MariaDB and MySQL for an exceeded time limit. */
const TIMEOUT_ERRORS = new Set<unknown>([1969, 3024]);
/** How much later than the server this process abandons a search, in milliseconds. */
const GRACE_MS = 1000;

interface ServerProcess {
  Id: number | string;
  Info: string | null;
}

/** Runs searches on a server, which enforces their time limit itself. */
export class ServerSearches implements SearchEngine {
  readonly atOnce: number;
  private readonly connections: ServerConnections;
  /** Begins this process's searches, and identifies them in the server's process list. */
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
      throw TIMEOUT_ERRORS.has((error as { errno?: number }).errno) ? new SearchTimeoutError() : error;
    } finally {
      signal.removeEventListener('abort', abort);
      if (killing) {
        // The kill may arrive late and must not hit another statement.
        await killing;
        destroy(connection);
      }
      connection.release();
    }
  }

  private limited(sql: string, seconds: number): string {
    return this.dataSource.options.type === 'mysql'
      ? `${this.mark} ${sql.replace(/^\s*SELECT\b/, `SELECT /*+ MAX_EXECUTION_TIME(${Math.ceil(seconds * 1000)}) */`)}`
      : `${this.mark} SET STATEMENT max_statement_time = ${seconds} FOR ${sql}`;
  }

  /**
   * Kills the statement of a connection if it is a search of this process: behind a load balancer, another server may use the same id for
   * another client's connection. A search that is not killed ends at its time limit.
   */
  private async kill({ threadId }: PoolConnection): Promise<void> {
    try {
      // Shows the first 100 characters of each statement. MySQL's tables of processes fail while anybody's statement has an emoji, or are
      // empty without the performance schema.
      const processes = (await this.dataSource.query<unknown[]>('SHOW PROCESSLIST')) as ServerProcess[];
      if (processes.some(({ Id, Info }) => Number(Id) === threadId && Info?.startsWith(this.mark)))
        await this.dataSource.query(`KILL QUERY ${threadId}`);
    } catch {
      // The search has already ended, or ends at its time limit.
    }
  }
}
