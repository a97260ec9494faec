import { type EventEmitter } from 'node:events';
import { type PoolConnection, type QueryError } from 'mysql2';

type Done = (error: QueryError | null, result: unknown) => void;

/** The server has reached `max_prepared_stmt_count`, the limit for all its clients. */
const TOO_MANY_PREPARED = 1461;
/** How long no statement is prepared after that error, in milliseconds. */
const PAUSE_MS = 60_000;
/** Maximum number of statements of a transaction that are prepared after it. */
const MAX_WANTED = 50;

/**
 * Sends the statements of one connection and keeps them prepared on the server. Nothing is prepared inside a transaction: a Galera node
 * that aborts the transaction during a prepare does not report this, and executes the rest of the transaction statement by statement
 * (`docs/decisions/0027-transactions-on-a-cluster.md`).
 */
export class ConnectionStatements {
  /** SQL of the prepared statements, oldest first. */
  private readonly prepared = new Set<string>();
  /** Statements sent as text inside a transaction, to be prepared after it. */
  private wanted: string[] = [];
  private pausedUntil = 0;

  /** @param limit maximum number of statements kept prepared; the driver has room for twice as many */
  constructor(
    private readonly connection: PoolConnection,
    private readonly limit: number,
  ) {}

  /**
   * Sends a statement, prepared if possible and otherwise as text.
   * @returns an emitter of `end` when the connection is free for the next statement
   */
  send(sql: string, parameters: unknown[], isInTransaction: boolean, done: Done): EventEmitter {
    if (!isPreparable(sql, parameters)) return this.connection.query(sql, parameters, done);
    if (this.prepared.has(sql)) return this.connection.execute(sql, parameters as never[], done);
    if (isInTransaction) {
      if (this.wanted.length < MAX_WANTED) this.wanted.push(sql);
      return this.connection.query(sql, parameters, done);
    }
    if (this.isPaused()) return this.connection.query(sql, parameters, done);
    return this.connection.execute(sql, parameters as never[], (error, result) => {
      if (error?.errno === TOO_MANY_PREPARED) {
        this.pause();
        // Sent before the statements of the connection's next user, in case it has already been released.
        this.connection.query(sql, parameters, done);
        return;
      }
      if (!error) this.note(sql);
      done(error, result);
    });
  }

  /** Prepares the statements that the last transaction sent as text; the connection may be released immediately. */
  prepareWanted(): void {
    if (this.wanted.length === 0) return;
    const wanted = new Set(this.wanted);
    this.wanted = [];
    if (this.isPaused()) return;
    for (const sql of wanted) {
      this.connection.prepare(sql, (error) => {
        if (!error) this.note(sql);
        else if (error.errno === TOO_MANY_PREPARED) this.pause();
      });
    }
  }

  private note(sql: string): void {
    this.prepared.add(sql);
    if (this.prepared.size <= this.limit) return;
    const [oldest = ''] = this.prepared;
    this.prepared.delete(oldest);
    this.connection.unprepare(oldest);
  }

  private pause(): void {
    this.pausedUntil = performance.now() + PAUSE_MS;
  }

  private isPaused(): boolean {
    return performance.now() < this.pausedUntil;
  }
}

/**
 * Only statements with parameters are prepared: others change the schema or run once. Numbers are sent as floating-point values, which
 * everything but LIMIT accepts as integers.
 */
const isPreparable = (sql: string, parameters: readonly unknown[]): boolean =>
  parameters.length > 0 && !sql.includes('LIMIT ?');
