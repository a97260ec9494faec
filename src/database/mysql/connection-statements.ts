import { type EventEmitter } from 'node:events';
import { type PoolConnection, type QueryError } from 'mysql2';

type Done = (error: QueryError | null, result: unknown) => void;

/** The server keeps no further prepared statements, of any client: `max_prepared_stmt_count`. */
const TOO_MANY_PREPARED = 1461;
/** For how long nothing more is prepared after that, in milliseconds. */
const PAUSE_MS = 60_000;
/** Statements of one transaction that are prepared after it. */
const MAX_WANTED = 50;

/**
 * The statements that the server has prepared for one connection, and how others are sent. Nothing is prepared inside a transaction:
 * a node of a Galera cluster that aborts the transaction while it prepares does not say so, and carries out the rest of it
 * statement by statement (`docs/decisions/0027-transactions-on-a-cluster.md`).
 */
export class ConnectionStatements {
  /** The SQL of each, the oldest first. */
  private readonly prepared = new Set<string>();
  /** Sent as text inside a transaction, to be prepared after it. */
  private wanted: string[] = [];
  private pausedUntil = 0;

  /** @param limit statements that are kept prepared; the driver has room for twice as many */
  constructor(
    private readonly connection: PoolConnection,
    private readonly limit: number,
  ) {}

  /**
   * Sends a statement: prepared where that is possible, otherwise as text.
   * @returns what emits `end` when the connection is free for the next statement
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
        // Sent before whatever the next user of the connection sends, should it be released already.
        this.connection.query(sql, parameters, done);
        return;
      }
      if (!error) this.note(sql);
      done(error, result);
    });
  }

  /** Prepares what the last transaction would have used; the connection may be released right away. */
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
 * Only statements with parameters are prepared: what has none is a schema's or comes once. A number is sent as a floating
 * one, which everything but LIMIT takes for the integer it is.
 */
const isPreparable = (sql: string, parameters: readonly unknown[]): boolean =>
  parameters.length > 0 && !sql.includes('LIMIT ?');
