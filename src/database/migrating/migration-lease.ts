import { DataSource } from 'typeorm';
import { isDuplicate } from '../connections/database-errors';
import { affectedRows, type StatementRunner } from '../sql/statements';

const NOW_MS = 'FLOOR(UNIX_TIMESTAMP(NOW(3)) * 1000)';

/** Whether a process migrates a server's database, or restores into it. The table of the lease must exist. */
export async function isLeaseHeld(runner: StatementRunner): Promise<boolean> {
  const sql = `SELECT 1 FROM migration_lease WHERE id = 1 AND expires > ${NOW_MS}`;
  return (await runner.query<unknown[]>(sql)).length > 0;
}

/**
 * Lease that decides which of several processes migrates a server's database. The holder renews it, so it expires soon after the holder has
 * died. It uses its own connection because a statement of a migration may take longer than the lease. The expiry time identifies the
 * holder.
 */
export class MigrationLease {
  private expires = 0;
  /** How far the server's clock is ahead of the local one, in milliseconds: processes on several machines share the lease. */
  private clockOffset = 0;
  private timer?: NodeJS.Timeout;
  /** The renewal under way. */
  private renewal?: Promise<boolean>;

  private constructor(
    private readonly connection: DataSource,
    private readonly durationMs: number,
  ) {}

  /** Connects and creates the table. */
  static async open({ options }: DataSource, durationMs: number): Promise<MigrationLease> {
    const connection = new DataSource({
      ...options,
      poolSize: 1,
      entities: [],
      migrations: [],
    } as typeof options);
    await connection.initialize();
    const lease = new MigrationLease(connection, durationMs);
    try {
      await lease.prepare();
      return lease;
    } catch (error) {
      await connection.destroy();
      throw error;
    }
  }

  /** Acquires the lease unless another process holds it, and keeps renewing it. */
  async take(): Promise<boolean> {
    const now = this.now();
    if (!(await this.move(now + this.durationMs, 'expires < ?', now))) return false;
    // The next renewal tries again after a failure.
    this.timer = setInterval(() => void this.renew().catch(() => undefined), this.durationMs / 4);
    return true;
  }

  /** Extends the lease to its full duration. @returns whether this process still holds it @throws any error of the database */
  renew(): Promise<boolean> {
    this.renewal ??= this.extend().finally(() => (this.renewal = undefined));
    return this.renewal;
  }

  /** Whether this process holds the lease, as far as it knows. */
  get isHeld(): boolean {
    return this.now() < this.expires;
  }

  /** Returns the time until the lease expires unless renewed, in milliseconds. */
  async remainingMs(): Promise<number> {
    const [row] = await this.connection.query<{ expires: number | string }[]>(
      'SELECT expires FROM migration_lease WHERE id = 1',
    );
    return Math.max(0, Number(row?.expires) - this.now());
  }

  /** Releases the lease and disconnects. @throws if the database does not respond; the lease then expires */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.renewal?.catch(() => undefined);
    try {
      if (this.isHeld) await this.move(0, 'expires = ?', this.expires);
    } finally {
      await this.connection.destroy();
    }
  }

  private async extend(): Promise<boolean> {
    // A lost lease stays lost: once its next holder has released it, the table has the same end.
    if (this.expires === 0) return false;
    if (await this.move(this.now() + this.durationMs, 'expires = ?', this.expires)) return true;
    this.expires = 0;
    clearInterval(this.timer);
    return false;
  }

  private async move(expires: number, condition: string, value: number): Promise<boolean> {
    const sql = `UPDATE migration_lease SET expires = ? WHERE id = 1 AND ${condition}`;
    const isMoved = await this.connection.transaction(
      async (manager) => (await affectedRows(manager, sql, [expires, value])) === 1,
    );
    if (isMoved) this.expires = expires;
    return isMoved;
  }

  private now(): number {
    return Date.now() + this.clockOffset;
  }

  private async prepare(): Promise<void> {
    const [{ now }] = await this.connection.query<[{ now: number | string }]>(`SELECT ${NOW_MS} AS now`);
    this.clockOffset = Number(now) - Date.now();
    await this.connection.query(
      'CREATE TABLE IF NOT EXISTS migration_lease (id integer NOT NULL PRIMARY KEY, expires bigint NOT NULL)',
    );
    try {
      await this.connection.query('INSERT INTO migration_lease (id, expires) VALUES (1, 0)');
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
  }
}
