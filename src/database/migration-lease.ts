import { DataSource } from 'typeorm';
import { isDuplicate } from './database-errors';
import { affectedRows } from './statements';

/**
 * Which of several processes migrates a server's database: one holds the lease and renews it; it runs out soon after that
 * process has died. Has a connection of its own, because a statement of a migration may take longer than the lease. The time
 * at which it runs out tells one holder from the next.
 */
export class MigrationLease {
  private expires = 0;
  /** How far the server's clock is ahead of this process's, in milliseconds: processes of several machines share the lease. */
  private clockOffset = 0;
  private timer?: NodeJS.Timeout;
  private renewal: Promise<void> = Promise.resolve();

  private constructor(
    private readonly connection: DataSource,
    private readonly durationMs: number,
  ) {}

  /** Connects, and makes the table. */
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

  /** Takes it unless somebody else has it, and renews it from then on. */
  async take(): Promise<boolean> {
    const now = this.now();
    if (!(await this.move(now + this.durationMs, 'expires < ?', now))) return false;
    this.timer = setInterval(() => {
      this.renewal = this.renew();
    }, this.durationMs / 4);
    return true;
  }

  /** Whether this process has it, as far as it knows. */
  get isHeld(): boolean {
    return this.now() < this.expires;
  }

  /** How long whoever has it keeps it unless it is renewed, in milliseconds. */
  async remainingMs(): Promise<number> {
    const [row] = await this.connection.query<{ expires: number | string }[]>(
      'SELECT expires FROM migration_lease WHERE id = 1',
    );
    return Math.max(0, Number(row?.expires) - this.now());
  }

  /** Gives it back, and disconnects. @throws when the database does not answer; then the lease runs out by itself */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.renewal;
    try {
      if (this.isHeld) await this.move(0, 'expires = ?', this.expires);
    } finally {
      await this.connection.destroy();
    }
  }

  private async renew(): Promise<void> {
    const { expires } = this;
    try {
      const isRenewed = await this.move(this.now() + this.durationMs, 'expires = ?', expires);
      if (!isRenewed) this.expires = 0;
    } catch {
      // It is tried again until the lease has run out.
    }
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
    const [{ now }] = await this.connection.query<[{ now: number | string }]>(
      'SELECT FLOOR(UNIX_TIMESTAMP(NOW(3)) * 1000) AS now',
    );
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
