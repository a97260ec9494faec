import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Circuits } from '../../deliveries/data/circuits';
import { DeliveryState } from '../../deliveries/delivery-state';
import { type DueTarget } from '../../deliveries/delivery';
import { insertRowIfMissing } from '../../database/sql/rows';
import { MailServer } from '../entities/mail-server.entity';

/** The id of the only row. */
export const SERVER_ID = 1;

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
          AND EXISTS (SELECT 1 FROM mail_letter l
                       WHERE l.state = ? AND l.is_urgent IN (0, 1) AND l.next_at <= ? AND l.lease_until <= ?)`,
      [SERVER_ID, now, DeliveryState.Pending, now, now],
    );
    return row;
  }
}
