import { loopTurns } from '../../event-loop/loop-turns';
import { ExclusiveLock } from './exclusive-lock';
import { type SqliteDatabase } from './node-sqlite';
import { PreparedStatements } from './prepared-statements';

/**
 * Reads rows with long texts and lets other work have its turn in between (`docs/decisions/0049-one-clock-for-the-event-loop.md#long-texts`). Such
 * reads have a connection of their own, one after the other: a statement that is not at its end keeps all later ones of its connection on
 * the state that it reads, but these must see what their callers have committed in the meantime.
 */
export class LongReads {
  private readonly lock: ExclusiveLock;
  private opened?: SqliteDatabase;
  private readonly statements = new PreparedStatements(() => (this.opened ??= this.open()));

  /**
   * @param open opens a connection
   * @param wait how long a read waits for earlier ones, in milliseconds
   */
  constructor(
    private readonly open: () => SqliteDatabase,
    wait: number,
  ) {
    this.lock = new ExclusiveLock(wait, 'connection for long reads');
  }

  /** @throws LockTimeoutError */
  async read(sql: string, parameters: readonly unknown[]): Promise<unknown[]> {
    await this.lock.acquire();
    try {
      const rows: unknown[] = [];
      for (const row of this.statements.get(sql).iterate(...parameters)) {
        rows.push(row);
        const pause = loopTurns.pause();
        if (pause) await pause;
      }
      return rows;
    } finally {
      this.lock.release();
    }
  }

  /** Closes the connection, which the next read opens again. */
  close(): void {
    this.statements.clear();
    this.opened?.close();
    this.opened = undefined;
  }
}
