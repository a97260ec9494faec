import { type PoolConnection } from 'mysql2';
import { type DataSource, QueryFailedError, type QueryResult, type ReplicationMode } from 'typeorm';
import { type MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver';
import { MysqlQueryRunner } from 'typeorm/driver/mysql/MysqlQueryRunner';
import { publishStatement } from '../../diagnostics/channels';
import { useDirectReads } from '../connections/direct-reads';
import { transactionEndOf } from '../connections/statement-limit';
import { type ServerConnections, serverConnections } from './server-connections';

/**
 * Makes the MySQL family prepare repeated statements, and sends statements without TypeORM's overhead: a promise wrapper and an event
 * without listeners. Adding a comment becomes 1.5 times as fast. Statements have a deadline (`limitStatements`).
 */
export function usePreparedStatements(dataSource: DataSource): void {
  const driver = dataSource.driver as MysqlDriver;
  const connections = serverConnections(dataSource);
  driver.createQueryRunner = (mode) => new PreparingQueryRunner(driver, mode, connections);
  useDirectReads(dataSource, (sql, parameters) => connections.read(sql, parameters));
}

class PreparingQueryRunner extends MysqlQueryRunner {
  /** Deadline of the transaction, on the clock of `performance.now()`. */
  private transactionEnd?: number;
  private taken?: Promise<PoolConnection>;

  constructor(
    driver: MysqlDriver,
    mode: ReplicationMode,
    private readonly connections: ServerConnections,
  ) {
    super(driver, mode);
  }

  override connect(): Promise<PoolConnection> {
    this.taken ??= this.connections.acquire(this.timeLeft).then((connection) => {
      // TypeORM releases the connection from this field.
      this.databaseConnection = connection;
      return connection;
    });
    return this.taken;
  }

  override async startTransaction(
    ...parameters: Parameters<MysqlQueryRunner['startTransaction']>
  ): Promise<void> {
    this.transactionEnd ??= transactionEndOf(this);
    await super.startTransaction(...parameters);
  }

  override query<T = unknown>(sql: string, parameters: unknown[] = [], structured = false): Promise<T> {
    return publishStatement(this.driver.options.type, sql, () => this.send<T>(sql, parameters, structured));
  }

  private async send<T>(sql: string, parameters: unknown[], structured: boolean): Promise<T> {
    const { logger } = this.driver.dataSource;
    const connection = (this.databaseConnection as PoolConnection | undefined) ?? (await this.connect());
    logger.logQuery(sql, parameters, this);
    try {
      const raw = await this.connections.send(connection, sql, parameters, {
        limit: this.timeLeft,
        isInTransaction: this.isTransactionActive,
      });
      return (structured ? toQueryResult(raw) : raw) as T;
    } catch (error) {
      logger.logQueryError(error as Error, sql, parameters, this);
      throw new QueryFailedError(sql, parameters, error as Error);
    }
  }

  override async release(): Promise<void> {
    if (this.databaseConnection && !this.isReleased) {
      this.connections.beforeRelease(this.databaseConnection as PoolConnection);
    }
    await super.release();
  }

  /** Time limit of the next statement, in milliseconds. */
  private get timeLeft(): number {
    return this.transactionEnd === undefined
      ? this.connections.limit
      : this.transactionEnd - performance.now();
  }
}

function toQueryResult(raw: unknown): Pick<QueryResult, 'raw' | 'records' | 'affected'> {
  if (Array.isArray(raw)) return { raw, records: raw, affected: undefined };
  return { raw, records: [], affected: (raw as { affectedRows?: number }).affectedRows };
}
