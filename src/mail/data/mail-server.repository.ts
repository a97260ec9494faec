import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Circuits } from '../../deliveries/data/circuits';
import { DeliveryState } from '../../deliveries/delivery-state';
import { type DueTarget } from '../../deliveries/delivery';
import { insertRowIfMissing } from '../../database/sql/rows';
import { forWrite } from '../../database/sql/statements';
import { MailServer } from '../entities/mail-server.entity';

/** The id of the only row. */
export const SERVER_ID = 1;

/**
 * The longest distance between letters, with the lowest SMTP_RATE, in milliseconds. A place that is later was taken by a process whose clock was
 * ahead, and does not count.
 */
const LONGEST_DISTANCE_MS = 10_000;

/** The mail server if a letter is due. */
export interface DueServer extends DueTarget {
  /** When the next letter may be sent, in milliseconds since 1970. */
  nextAt: number;
}

/** Repository of the failures and the pace of the mail server. */
@Injectable()
export class MailServerRepository extends Circuits {
  constructor(private readonly dataSource: DataSource) {
    super({ table: 'mail_server', key: 'id' });
  }

  /** Inserts the row unless it exists. */
  insertIfMissing(manager: EntityManager): Promise<void> {
    const failures = { failures: 0, failingSince: null, pausedUntil: 0, pauses: 0, reason: '' };
    return insertRowIfMissing(manager, MailServer, { id: SERVER_ID, ...failures, nextAt: 0 });
  }

  /** Returns the mail server if its circuit lets letters through, and one without a lease is due. */
  async findDue(now: number): Promise<DueServer | undefined> {
    const [row] = await this.dataSource.query<DueServer[]>(
      `SELECT s.failures AS failures, s.paused_until AS pausedUntil, s.next_at AS nextAt FROM mail_server s
        WHERE s.id = ? AND s.paused_until <= ?
          AND EXISTS (SELECT 1 FROM mail_letter l
                       WHERE l.state = ? AND l.is_urgent IN (0, 1) AND l.next_at <= ? AND l.lease_until <= ?)`,
      [SERVER_ID, now, DeliveryState.Pending, now, now],
    );
    if (!row) return undefined;
    return { ...row, nextAt: placeAt(row.nextAt, now) };
  }

  /**
   * Locks the next place in the pace of all processes; no other process can take it until the transaction ends. Must be the transaction's
   * first statement, so that later ones see the letters of the place before as leased.
   * @returns the time, after waiting for the lock; undefined if the place is not due
   */
  async lockPlace(manager: EntityManager): Promise<number | undefined> {
    const [row] = await manager.query<{ nextAt: number }[]>(
      `SELECT next_at AS nextAt FROM mail_server WHERE id = ?${forWrite(manager)}`,
      [SERVER_ID],
    );
    const now = Date.now();
    return row !== undefined && placeAt(row.nextAt, now) <= now ? now : undefined;
  }

  /**
   * Takes the place that the transaction has locked.
   * @param distance from the letters that are sent now to the next one, in milliseconds
   */
  async takePlace(manager: EntityManager, distance: number, now: number): Promise<void> {
    await manager.query('UPDATE mail_server SET next_at = ? WHERE id = ?', [now + distance, SERVER_ID]);
  }

  /** Gives back the places of letters that were not sent. */
  async returnPlaces(manager: EntityManager, distance: number): Promise<void> {
    await manager.query('UPDATE mail_server SET next_at = next_at - ? WHERE id = ?', [distance, SERVER_ID]);
  }
}

/** Returns when the next letter may be sent: now if the place is so late that it does not count. */
const placeAt = (nextAt: number, now: number): number => (nextAt > now + LONGEST_DISTANCE_MS ? now : nextAt);
