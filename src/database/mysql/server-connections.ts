import { type Pool, type PoolConnection, type QueryError } from 'mysql2';
import { type DataSource } from 'typeorm';
import { type MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver';
import { type ServerAddress } from '../../config/server-url';
import { isReadOnlyError, isUnavailable } from '../connections/database-errors';
import { type PoolUsage } from '../connections/pool-usage';
import { statementLimit } from '../connections/statement-limit';
import { ConnectionStatements } from './connection-statements';
import { destroy, streamOf } from './connection-socket';
import { Deadlines } from './deadlines';
import { nameOf, type Servers } from './servers';

/** The server did not respond in time. The effect of the statement, which may still be running, is unknown. */
class StatementTimeoutError extends Error {
  readonly code = 'PROTOCOL_SEQUENCE_TIMEOUT';
  readonly fatal = true;

  constructor() {
    super('The database did not answer in time.');
  }
}

/** The server failed during a statement. The effect of the statement is unknown. */
class ServerFailedError extends Error {
  readonly code = 'PROTOCOL_CONNECTION_LOST';
  readonly fatal = true;

  constructor() {
    super('The database server has failed.');
  }
}

/** Error of a Galera node that belongs to no cluster or is still joining one. */
const NODE_NOT_READY = 1047;
/** The bit of `wsrep_sync_wait` for reads, including the start of transactions. */
const WAITS_FOR_READS = 1;
/** Maximum number of statements that wait for a connection: each keeps its parameters, even after its timeout. */
const MAX_WAITING = 500;

/** A queue of the driver's pool. */
interface ConnectionQueue {
  readonly length: number;
  get(index: number): PoolConnection;
}

/** Private members of the driver's pool. */
interface PoolInternals {
  _allConnections: ConnectionQueue;
  _freeConnections: ConnectionQueue;
  config: { connectionLimit: number };
}

/** Too many statements are already waiting for a connection. */
class PoolQueueFullError extends Error {
  readonly code = 'POOL_QUEUE_FULL';

  constructor() {
    super('Too many statements wait for a connection to the database.');
  }
}

/**
 * The connections to a server of the MySQL family. A statement that exceeds its time limit rejects with `StatementTimeoutError`, and its
 * connection is destroyed, because a late response must not be taken for that of another statement.
 */
export class ServerConnections {
  private readonly deadlines = new Deadlines();
  private readonly sessions = new WeakMap<PoolConnection, Session>();
  private waiting = 0;
  /** Open connections that have been acquired at least once. */
  private readonly open = new Set<PoolConnection>();
  private servers?: Servers;
  private syncWait = 0;
  /** Changes when a connection to a server that is no longer in use may have committed something. */
  private epoch = 0;

  constructor(private readonly driver: MysqlDriver) {}

  /** @param syncWait the kinds of statement for which the server itself waits for the commits of other nodes */
  use(servers: Servers, syncWait: number): void {
    this.servers = servers;
    this.syncWait = syncWait;
  }

  /** Whether the server in use accepts writes, as far as is known. */
  get isWritable(): boolean {
    return this.servers?.isWritable ?? true;
  }

  /** Default time limit of a statement, in milliseconds. */
  get limit(): number {
    return statementLimit(this.driver.dataSource);
  }

  /** Acquires a connection from the pool. @throws StatementTimeoutError if none is available within `limit` milliseconds */
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

  /** Sends a statement. @throws StatementTimeoutError if there is no response within `limit` milliseconds */
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

  /** Destroys connections immediately; their pending statements reject with `ServerFailedError`. */
  destroyWhere(isAffected: (connection: PoolConnection) => boolean): void {
    for (const connection of this.open) {
      // The driver's own destroy() would drop the pending statements without settling them.
      if (isAffected(connection)) streamOf(connection).destroy(new ServerFailedError());
    }
  }

  /** Returns the usage of the connections by server; waiting statements count for the current server. */
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

  /** Must be called before a connection is released, and before what it has committed is acknowledged. */
  beforeRelease(connection: PoolConnection): void {
    if (this.servers && !this.servers.isCurrent(connection)) this.epoch++;
    // What the finished transaction sent as text.
    this.sessionOf(connection).statements.prepareWanted();
  }

  /** Sends a statement on any connection. The time limit covers both the wait for the connection and the statement. */
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
        // `end` precedes the delivery of the result, for which the connection's next user need not wait.
        statement.once('end', () => {
          this.beforeRelease(connection);
          connection.release();
        });
      });
    });
  }

  private sessionOf(connection: PoolConnection): Session {
    let session = this.sessions.get(connection);
    if (!session) {
      const { maxPreparedStatements } = this.driver.options.extra as ServerExtra;
      const statements = new ConnectionStatements(connection, maxPreparedStatements / 2);
      session = { statements, isLimited: false, isReadOnly: false, waits: false };
      this.sessions.set(connection, session);
      this.open.add(connection);
      streamOf(connection).once('close', () => this.open.delete(connection));
    }
    return session;
  }

  /** Acquires a connection from the pool and bounds the number of waiting statements, which the pool does not. */
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

  /** Acquires a connection to the current server, and tries the next server if it is unreachable. */
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
        this.synchronise(connection, done);
      } else {
        destroy(connection);
        this.takeFrom(servers, done);
      }
    });
  }

  /**
   * Lets a node apply what this process has committed through others, before it serves anything: at the first use of a connection, and
   * after each later commit, because the transactions of the previous node end while new ones begin here.
   */
  private synchronise(
    connection: PoolConnection,
    done: (error: Error | null, connection: PoolConnection) => void,
  ): void {
    const session = this.sessionOf(connection);
    const { epoch } = this;
    if (!this.mustSynchronise || session.epoch === epoch) {
      done(null, connection);
      return;
    }
    const deadline = this.deadlines.begin(this.limit, () => {
      destroy(connection);
      done(new StatementTimeoutError(), connection);
    });
    // Servers that are no nodes lack the variable, and have nothing to wait for.
    connection.query('SET SESSION wsrep_sync_wait = 1', () => undefined);
    connection.query('SELECT 1', (error) => {
      if (!this.deadlines.end(deadline)) return;
      if (error) {
        destroy(connection);
        done(this.noteError(connection, error), connection);
        return;
      }
      session.epoch = epoch;
      done(null, connection);
    });
    connection.query(`SET SESSION wsrep_sync_wait = ${this.syncWait || 'DEFAULT'}`, () => undefined);
  }

  /** Whether the server itself does not let reads wait for the commits of other nodes. */
  private get mustSynchronise(): boolean {
    return this.servers?.areSeveral === true && (this.syncWait & WAITS_FOR_READS) === 0;
  }

  /** Records what an error says about the server: a node that has lost its cluster responds, but executes nothing. */
  private noteError(connection: PoolConnection, error: QueryError): QueryError {
    if (error.errno === NODE_NOT_READY) this.servers?.failOf(connection, error.message);
    else if (isReadOnlyError(error)) this.servers?.recheckReadOnlyServer(connection);
    return error;
  }

  /**
   * Sets time limits on the server, because it continues a statement after the connection is lost. Waits for locks end earlier, so that the
   * transaction can be retried.
   */
  private prepareSession(connection: PoolConnection): void {
    const session = this.sessionOf(connection);
    const { limit, syncWait } = this;
    if (!session.waits && syncWait > 0) {
      session.waits = true;
      connection.query(`SET SESSION wsrep_sync_wait = ${syncWait}`, () => undefined);
    }
    if (!session.isReadOnly && this.servers?.isReadOnly) {
      session.isReadOnly = true;
      // An account with enough privileges could write to a former primary, which loses such writes.
      connection.query('SET SESSION TRANSACTION READ ONLY', () => undefined);
    }
    if (session.isLimited || limit === Infinity) return;
    session.isLimited = true;
    const lockWait = Math.max(1, Math.floor(limit / 2000));
    const execution =
      this.driver.options.type === 'mysql'
        ? `max_execution_time = ${Math.ceil(limit)}`
        : `max_statement_time = ${limit / 1000}`;
    // A server that lacks one of these variables rejects the statement; the deadlines of this process still apply.
    connection.query(
      `SET SESSION innodb_lock_wait_timeout = ${lockWait}, lock_wait_timeout = ${lockWait}, ${execution}`,
      () => undefined,
    );
  }
}

/** Driver-specific options. */
export interface ServerExtra {
  /** Capacity of the driver's statement cache for each connection, twice the number kept prepared. */
  maxPreparedStatements: number;
  /** Whether the driver captures a stack for each statement, in case it fails. */
  trace: boolean;
  /** Opens connections to the server in use. */
  stream?: Servers['open'];
}

const connectionsOf = new WeakMap<DataSource, ServerConnections>();

/** Returns the connections of a data source to its server. */
export function serverConnections(dataSource: DataSource): ServerConnections {
  let connections = connectionsOf.get(dataSource);
  if (!connections) {
    connections = new ServerConnections(dataSource.driver as MysqlDriver);
    connectionsOf.set(dataSource, connections);
  }
  return connections;
}

/** State of a connection. */
interface Session {
  readonly statements: ConnectionStatements;
  /** Whether the time limits have been set on the server. */
  isLimited: boolean;
  /** Whether the session has been set to read-only transactions. */
  isReadOnly: boolean;
  /** Whether `wsrep-sync-wait` of `DATABASE_URL` has been set on the server. */
  waits: boolean;
  /** The epoch of the last wait for the commits of other nodes. */
  epoch?: number;
}

const connectionsIn = (queue: ConnectionQueue): PoolConnection[] =>
  Array.from({ length: queue.length }, (_, index) => queue.get(index));
