import { type Socket } from 'node:net';
import { type Pool, type PoolConnection, type QueryError } from 'mysql2';
import { type DataSource } from 'typeorm';
import { type MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver';
import { type ServerAddress } from '../../config/server-url';
import { isUnavailable } from '../database-errors';
import { type PoolUsage } from '../pool-usage';
import { statementLimit } from '../statement-limit';
import { ConnectionStatements } from './connection-statements';
import { Deadlines } from './deadlines';
import { nameOf, type Servers } from './servers';

/** A server has not answered in time. What the statement has done, or still does, is not known. */
export class StatementTimeoutError extends Error {
  readonly code = 'PROTOCOL_SEQUENCE_TIMEOUT';
  readonly fatal = true;

  constructor() {
    super('The database did not answer in time.');
  }
}

/** The server has failed while it had a statement. What that has done is not known. */
export class ServerFailedError extends Error {
  readonly code = 'PROTOCOL_CONNECTION_LOST';
  readonly fatal = true;

  constructor() {
    super('The database server has failed.');
  }
}

/** A Galera node that belongs to no cluster at the moment, or is still joining one. */
const NODE_NOT_READY = 1047;
/** Most statements that wait for a connection: each keeps its parameters, also when its time is over. */
const MAX_WAITING = 500;

/** A queue of the driver's pool. */
interface ConnectionQueue {
  readonly length: number;
  get(index: number): PoolConnection;
}

/** What the driver's pool keeps to itself. */
interface PoolInternals {
  _allConnections: ConnectionQueue;
  _freeConnections: ConnectionQueue;
  config: { connectionLimit: number };
}

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
  private readonly sessions = new WeakMap<PoolConnection, Session>();
  private waiting = 0;
  /** Those that have been taken from the pool and are open. */
  private readonly open = new Set<PoolConnection>();
  private servers?: Servers;
  private syncWait = 0;

  constructor(private readonly driver: MysqlDriver) {}

  /** @param servers the servers to choose from, if there are several */
  use(servers: Servers | undefined, syncWait: number): void {
    this.servers = servers;
    this.syncWait = syncWait;
  }

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
  send(
    connection: PoolConnection,
    sql: string,
    parameters: unknown[],
    { limit, isInTransaction }: { limit: number; isInTransaction: boolean },
  ): Promise<unknown> {
    const { statements } = this.sessionOf(connection);
    return new Promise((resolve, reject) => {
      const deadline = this.deadlines.begin(limit, () => {
        destroy(connection);
        reject(new StatementTimeoutError());
      });
      statements.send(sql, parameters, isInTransaction, (error, result) => {
        this.deadlines.end(deadline);
        if (error) reject(this.noteError(connection, error));
        else resolve(result);
      });
    });
  }

  /** Ends connections at once; what is under way on them rejects with `ServerFailedError`. */
  destroyWhere(isAffected: (connection: PoolConnection) => boolean): void {
    for (const connection of this.open) {
      // The driver drops what waits on a connection that it is asked to destroy.
      if (isAffected(connection)) streamOf(connection).destroy(new ServerFailedError());
    }
  }

  /** How the connections are used, by server; what waits is counted with the server that is used now. */
  usage(): PoolUsage[] {
    const { _allConnections: all, _freeConnections: free, config } = this.driver.pool as PoolInternals;
    const current = this.servers?.current ?? (this.driver.options as ServerAddress);
    const nameOfServer = (connection: PoolConnection): string =>
      nameOf(this.servers?.serverOf(connection) ?? current);
    const usages = new Map<string, PoolUsage>();
    for (const address of this.servers?.addresses ?? [current]) {
      const host = nameOf(address);
      const waiting = address === current ? this.waiting : 0;
      usages.set(host, { host, inUse: 0, idle: 0, waiting, limit: config.connectionLimit });
    }
    const idle = new Set(connectionsIn(free));
    for (const connection of connectionsIn(all)) {
      const usage = usages.get(nameOfServer(connection));
      if (usage) usage[idle.has(connection) ? 'idle' : 'inUse']++;
    }
    return [...usages.values()];
  }

  /** Has a connection prepare, now that its transaction is over, what that has sent as text. */
  prepareWanted(connection: PoolConnection): void {
    this.sessionOf(connection).statements.prepareWanted();
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
        const statement = this.sessionOf(connection).statements.send(
          sql,
          parameters,
          false,
          (error, result) => {
            this.deadlines.end(deadline);
            if (error) reject(this.noteError(connection, error));
            else resolve(result);
          },
        );
        // Which is before the result is handed over: whoever waits for the connection need not wait for that.
        statement.once('end', () => connection.release());
      });
    });
  }

  private sessionOf(connection: PoolConnection): Session {
    let session = this.sessions.get(connection);
    if (!session) {
      const { maxPreparedStatements } = this.driver.options.extra as ServerExtra;
      const statements = new ConnectionStatements(connection, maxPreparedStatements / 2);
      session = { statements, isLimited: false, isSynchronised: false };
      this.sessions.set(connection, session);
      this.open.add(connection);
      streamOf(connection).once('close', () => this.open.delete(connection));
    }
    return session;
  }

  /** Takes a connection from the pool, whose own queue has no bound. */
  private take(done: (error: Error | null, connection: PoolConnection) => void): void {
    if (this.waiting >= MAX_WAITING) {
      done(new PoolQueueFullError(), undefined as never);
      return;
    }
    this.waiting++;
    this.takeFrom(this.servers, (error, connection) => {
      this.waiting--;
      done(error, connection);
    });
  }

  /** Takes a connection to the server that is used now, and tries the next server when it cannot be reached. */
  private takeFrom(
    servers: Servers | undefined,
    done: (error: Error | null, connection: PoolConnection) => void,
  ): void {
    const server = servers?.current;
    (this.driver.pool as Pool).getConnection((error, connection) => {
      if (!servers || !server) {
        done(error, connection);
      } else if (error) {
        const canTryNext = isUnavailable(error) && servers.fail(server, error.message);
        if (canTryNext) this.takeFrom(servers, done);
        else done(error, connection);
      } else if (servers.isCurrent(connection)) {
        done(null, connection);
      } else {
        destroy(connection);
        this.takeFrom(servers, done);
      }
    });
  }

  /** A node that has lost its cluster answers, and does nothing. */
  private noteError(connection: PoolConnection, error: QueryError): QueryError {
    if (error.errno === NODE_NOT_READY) this.servers?.failOf(connection, error.message);
    return error;
  }

  /**
   * Has the server give up by itself what nobody waits for any more: it goes on with a statement whose connection is lost. A wait
   * for a lock ends earlier, so that the transaction can be run again.
   */
  private prepareSession(connection: PoolConnection): void {
    const session = this.sessionOf(connection);
    const { limit, syncWait } = this;
    if (!session.isSynchronised && (syncWait > 0 || this.servers)) {
      session.isSynchronised = true;
      // Without the setting, a node waits once: for what the node before it has acknowledged to this process.
      const sql =
        syncWait > 0
          ? `SET SESSION wsrep_sync_wait = ${syncWait}`
          : 'SET STATEMENT wsrep_sync_wait = 1 FOR SELECT 1';
      connection.query(sql, () => undefined);
    }
    if (session.isLimited || limit === Infinity) return;
    session.isLimited = true;
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

/** The driver's own options that are set. */
export interface ServerExtra {
  /** Statements that the driver remembers for each connection, twice as many as are kept prepared. */
  maxPreparedStatements: number;
  /** Whether a stack is kept for each statement, in case it fails. */
  trace: boolean;
  /** Opens connections, where there are several servers. */
  stream?: Servers['open'];
}

const connectionsOf = new WeakMap<DataSource, ServerConnections>();

/** The connections of a data source to its server. */
export function serverConnections(dataSource: DataSource): ServerConnections {
  let connections = connectionsOf.get(dataSource);
  if (!connections) {
    connections = new ServerConnections(dataSource.driver as MysqlDriver);
    connectionsOf.set(dataSource, connections);
  }
  return connections;
}

/** What is known of a connection. */
interface Session {
  readonly statements: ConnectionStatements;
  /** Whether the server has been given the limits of its statements. */
  isLimited: boolean;
  /** Whether the server has been asked to wait for what other nodes have committed; other servers than Galera's need not. */
  isSynchronised: boolean;
}

const connectionsIn = (queue: ConnectionQueue): PoolConnection[] =>
  Array.from({ length: queue.length }, (_, index) => queue.get(index));

/** Ends a connection at once and takes it out of the pool. */
export function destroy(connection: PoolConnection): void {
  connection.destroy();
  // destroy() only says that nothing more will be sent, which a server that hangs does not hear.
  streamOf(connection).destroy();
}

const streamOf = (connection: PoolConnection): Socket => (connection as unknown as { stream: Socket }).stream;
