import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Circuits } from '../../deliveries/data/circuits';
import { DeliveryState } from '../../deliveries/delivery-state';
import { type DueTarget } from '../../deliveries/delivery';
import { insertRowIfMissing, selectRow } from '../../database/sql/rows';
import { MailServer } from '../entities/mail-server.entity';

/** The id of the only row. */
export const SERVER_ID = 1;

/** The failures of the mail server for Administrators. */
export type MailServerRow = Pick<MailServer, 'failures' | 'failingSince' | 'pausedUntil' | 'reason'>;

/** Repository of the failures of the mail server. */
@Injectable()
export class MailServerRepository extends Circuits {
  constructor(private readonly dataSource: DataSource) {
    super({ table: 'mail_server', key: 'id' });
  }

  /** Inserts the row unless it exists. */
  insertIfMissing(manager: EntityManager): Promise<void> {
    const row = { id: SERVER_ID, failures: 0, failingSince: null, pausedUntil: 0, pauses: 0, reason: '' };
    return insertRowIfMissing(manager, MailServer, row);
  }

  /** Returns the mail server if its circuit lets letters through, and one without a lease is due. */
  async findDue(now: number): Promise<DueTarget | undefined> {
    const [row] = await this.dataSource.query<DueTarget[]>(
      `SELECT s.failures AS failures, s.paused_until AS pausedUntil FROM mail_server s
        WHERE s.id = ? AND s.paused_until <= ?
          AND EXISTS (SELECT 1 FROM mail_letter l WHERE l.state = ? AND l.next_at <= ? AND l.lease_until <= ?)`,
      [SERVER_ID, now, DeliveryState.Pending, now, now],
    );
    return row;
  }

  /** Returns the failures of the mail server; undefined before the first start with one. */
  find(): Promise<MailServerRow | undefined> {
    const keys = ['failures', 'failingSince', 'pausedUntil', 'reason'] as const;
    return selectRow(this.dataSource, MailServer, keys, 'WHERE id = ?', [SERVER_ID]);
  }

  /** Counts the letters that wait, up to a limit, and returns when the first of them was written. */
  async countPending(limit: number): Promise<{ count: number; oldest: number | null }> {
    const [row] = await this.dataSource.query<[{ count: number | string; oldest: number | null }]>(
      `SELECT COUNT(*) AS count, MIN(created) AS oldest
         FROM (SELECT created FROM mail_letter WHERE state = ? ORDER BY next_at LIMIT ${limit}) pending`,
      [DeliveryState.Pending],
    );
    return { count: Number(row.count), oldest: row.oldest };
  }
}
