import { type EventEmitter } from 'node:events';
import { type Socket } from 'node:net';
import { type Pool, type PoolConnection } from 'mysql2';
import { type MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver';
import { statementLimit } from '../statement-limit';
import { Deadlines } from './deadlines';

/** A server has not answered in time. What the statement has done, or still does, is not known. */
export class StatementTimeoutError extends Error {
  readonly code = 'PROTOCOL_SEQUENCE_TIMEOUT';
  readonly fatal = true;

  constructor() {
    super('The database did not answer in time.');
  }
}

/** Most statements that wait for a connection: each keeps its parameters, also when its time is over. */
const MAX_WAITING = 500;

/** Too many statements wait for a connection already. */
export class PoolQueueFullError extends Error {
  readonly code = 'POOL_QUEUE_FULL';

  constructor() {
    super('Too many statements wait for a connection to the database.');
  }
}

/**
 * The connections to a server of the MySQL family, and what they are sent. Whatever takes longer than its limit rejects with
 * `StatementTimeoutError`, and its connection is destroyed: an answer that is still to come must not meet another statement.
 */
export class ServerConnections {
  private readonly deadlines = new Deadlines();
  private readonly prepared = new WeakSet<PoolConnection>();
  private waiting = 0;

  constructor(private readonly driver: MysqlDriver) {}

  /** How long a statement may take unless it says otherwise, in milliseconds. */
  get limit(): number {
    return statementLimit(this.driver.dataSource);
  }

  /** Takes a connection from the pool. @throws StatementTimeoutError when there is none within `limit` milliseconds */
  acquire(limit = this.limit): Promise<PoolConnection> {
    return new Promise((resolve, reject) => {
      const deadline = this.deadlines.begin(limit, () => reject(new StatementTimeoutError()));
      this.take((error, connection) => {
        const isInTime = this.deadlines.end(deadline);
        if (error) {
          reject(error);
        } else if (isInTime) {
          this.prepareSession(connection);
          resolve(connection);
        } else {
          connection.release();
        }
      });
    });
  }

  /** Sends a statement. @throws StatementTimeoutError when it has not been answered within `limit` milliseconds */
  send(connection: PoolConnection, sql: string, parameters: unknown[], limit = this.limit): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const deadline = this.deadlines.begin(limit, () => {
        destroy(connection);
        reject(new StatementTimeoutError());
      });
      execute(connection, sql, parameters, (error, result) => {
        this.deadlines.end(deadline);
        if (error) reject(error);
        else resolve(result);
      });
    });
  }

  /** Sends a statement on any connection. The limit is for both the wait and the statement. */
  read(sql: string, parameters: unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      let taken: PoolConnection | undefined;
      let isLate = false;
      const deadline = this.deadlines.begin(this.limit, () => {
        isLate = true;
        if (taken) destroy(taken);
        reject(new StatementTimeoutError());
      });
      this.take((failure, connection) => {
        if (failure) {
          this.deadlines.end(deadline);
          reject(failure);
          return;
        }
        if (isLate) {
          connection.release();
          return;
        }
        taken = connection;
        this.prepareSession(connection);
        const statement = execute(connection, sql, parameters, (error, result) => {
          this.deadlines.end(deadline);
          if (error) reject(error);
          else resolve(result);
        });
        // Which is before the result is handed over: whoever waits for the connection need not wait for that.
        statement.once('end', () => connection.release());
      });
    });
  }

  /** Takes a connection from the pool, whose own queue has no bound. */
  private take(done: (error: Error | null, connection: PoolConnection) => void): void {
    if (this.waiting >= MAX_WAITING) {
      done(new PoolQueueFullError(), undefined as never);
      return;
    }
    this.waiting++;
    (this.driver.pool as Pool).getConnection((error, connection) => {
      this.waiting--;
      done(error, connection);
    });
  }

  /**
   * Has the server give up by itself what nobody waits for any more: it goes on with a statement whose connection is lost. A wait
   * for a lock ends earlier, so that the transaction can be run again.
   */
  private prepareSession(connection: PoolConnection): void {
    if (this.prepared.has(connection)) return;
    const { limit } = this;
    if (limit === Infinity) return;
    this.prepared.add(connection);
    const lockWait = Math.max(1, Math.floor(limit / 2000));
    const execution =
      this.driver.options.type === 'mysql'
        ? `max_execution_time = ${Math.ceil(limit)}`
        : `max_statement_time = ${limit / 1000}`;
    // A server that lacks one of them does without; the deadlines here hold all the same.
    connection.query(
      `SET SESSION innodb_lock_wait_timeout = ${lockWait}, lock_wait_timeout = ${lockWait}, ${execution}`,
      () => undefined,
    );
  }
}

/** Ends a connection at once and takes it out of the pool. */
export function destroy(connection: PoolConnection): void {
  connection.destroy();
  // destroy() only says that nothing more will be sent, which a server that hangs does not hear.
  (connection as unknown as { stream: Socket }).stream.destroy();
}

/**
 * Only statements with parameters are prepared: what has none is a schema's or comes once. A number is sent as a floating
 * one, which everything but LIMIT takes for the integer it is.
 */
function execute(
  connection: PoolConnection,
  sql: string,
  parameters: unknown[],
  done: (error: Error | null, result: unknown) => void,
): EventEmitter {
  const isPreparable = parameters.length > 0 && !sql.includes('LIMIT ?');
  return isPreparable
    ? connection.execute(sql, parameters as never[], done)
    : connection.query(sql, parameters, done);
}
