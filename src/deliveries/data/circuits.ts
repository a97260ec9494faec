import { type EntityManager } from 'typeorm';
import { affectedRows, quoted } from '../../database/sql/statements';

/** The failures of a target since its last success. */
export interface Failures {
  failures: number;
  /** When the first of them occurred; null when the last attempt succeeded. */
  failingSince: number | null;
  /** End of the current pause while the circuit is open; 0 when it is closed. */
  pausedUntil: number;
  /** Number of consecutive times the circuit has opened. */
  pauses: number;
}

/** A table with a row for each target. */
export interface CircuitTable {
  /** With the columns `failures`, `failing_since`, `paused_until`, `pauses` and `reason`. */
  table: string;
  /** The column with the id of the target. */
  key: string;
  /** The condition that `reason` is that of the failures; always if omitted. */
  isReasonOfFailures?: string;
}

/** The failures and circuits of targets, in a table of them. */
export class Circuits {
  private readonly table: string;
  private readonly where: string;
  private readonly setReason: (sql: string) => string;

  constructor({ table, key, isReasonOfFailures }: CircuitTable) {
    this.table = quoted(table);
    this.where = `WHERE ${key} = ?`;
    this.setReason = (sql) =>
      isReasonOfFailures
        ? `reason = CASE WHEN ${isReasonOfFailures} THEN ${sql} ELSE reason END`
        : `reason = ${sql}`;
  }

  /** Returns the failures of a target; undefined when it has been deleted. */
  async findFailures(manager: EntityManager, id: number): Promise<Failures | undefined> {
    const [row] = await manager.query<Failures[]>(
      `SELECT failures AS failures, failing_since AS failingSince, paused_until AS pausedUntil, pauses AS pauses
         FROM ${this.table} ${this.where}`,
      [id],
    );
    return row;
  }

  /** Clears the failures of a target that has any. */
  async clearFailures(manager: EntityManager, id: number): Promise<void> {
    await manager.query(
      `UPDATE ${this.table} SET failures = 0, failing_since = NULL, paused_until = 0, pauses = 0, ${this.setReason("''")}
        ${this.where} AND (failures > 0 OR paused_until > 0)`,
      [id],
    );
  }

  /**
   * Adds failures, the first of which may be the first since a success.
   * @param error of the last one
   */
  async addFailures(
    manager: EntityManager,
    id: number,
    { count, error, now }: { count: number; error: string; now: number },
  ): Promise<void> {
    await manager.query(
      `UPDATE ${this.table} SET failures = failures + ?, failing_since = COALESCE(failing_since, ?), ${this.setReason('?')}
        ${this.where}`,
      [count, now, error, id],
    );
  }

  /** Opens the circuit of a target. */
  async pause(manager: EntityManager, id: number, until: number): Promise<void> {
    await manager.query(`UPDATE ${this.table} SET paused_until = ?, pauses = pauses + 1 ${this.where}`, [
      until,
      id,
    ]);
  }

  /** Moves the end of a pause; returns false when another process has moved it first. */
  async movePause(manager: EntityManager, id: number, from: number, to: number): Promise<boolean> {
    const moved = await affectedRows(
      manager,
      `UPDATE ${this.table} SET paused_until = ? ${this.where} AND paused_until = ?`,
      [to, id, from],
    );
    return moved === 1;
  }

  /** Shortens a pause, unless it already ends earlier. */
  async shortenPause(manager: EntityManager, id: number, until: number): Promise<void> {
    await manager.query(`UPDATE ${this.table} SET paused_until = ? ${this.where} AND paused_until > ?`, [
      until,
      id,
      until,
    ]);
  }
}
