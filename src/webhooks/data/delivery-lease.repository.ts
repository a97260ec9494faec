import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { forWrite, isEmbedded, placeholders } from '../../database/sql/statements';
import { type ClaimedDelivery } from '../sending/delivery';
import { Leases } from '../../deliveries/data/leases';
import { DeliveryState } from '../../deliveries/delivery-state';
import { releaseDeliveries } from './restored-deliveries';

/** A delivery whose attempt has been recorded. */
export interface SettledDelivery {
  id: number;
  /** When a new start was requested during the lease that has just ended; null otherwise. */
  restartRequested: number | null;
}

/** The leases in the table of deliveries to webhooks, with the requests to restart a delivery that is leased. */
@Injectable()
export class DeliveryLeaseRepository extends Leases {
  constructor() {
    super({ table: 'webhook_delivery', hasRestarts: true });
  }

  /** Returns the ids of a webhook's due deliveries without a lease, earliest first. */
  async findDueIds(manager: EntityManager, webhookId: number, now: number, limit: number): Promise<number[]> {
    const rows = await manager.query<{ id: number }[]>(
      `SELECT id FROM webhook_delivery
        WHERE webhook_id = ? AND state = ? AND next_at <= ? AND lease_until <= ? ORDER BY next_at, id LIMIT ?`,
      [webhookId, DeliveryState.Pending, now, now, limit],
    );
    return rows.map((row) => row.id);
  }

  /** Returns the deliveries leased with a token, ordered by id. */
  findLeased(
    manager: EntityManager,
    ids: readonly number[],
    token: string,
  ): Promise<Omit<ClaimedDelivery, 'texts'>[]> {
    return manager.query<Omit<ClaimedDelivery, 'texts'>[]>(
      `SELECT d.id AS id, d.webhook_id AS webhookId, d.attempt AS attempt, d.lease_token AS leaseToken,
                d.lease_until AS leaseUntil, d.message_id AS messageId, e.activity_id AS activityId,
                e.activity_type AS activityType, e.payload AS payload
           FROM webhook_delivery d JOIN webhook_event e ON e.id = d.event_id
          WHERE d.id IN (${placeholders(ids)}) AND d.lease_token = ? ORDER BY d.id`,
      [...ids, token],
    );
  }

  /**
   * Locks the deliveries that still exist for the rest of the transaction, after `complete` and `postpone`. A request to restart
   * is returned only to the holder of the lease that has just ended, not to that of an earlier one.
   */
  async lockSettled(manager: EntityManager, ids: readonly number[]): Promise<SettledDelivery[]> {
    return manager.query<SettledDelivery[]>(
      `SELECT id, CASE WHEN lease_token IS NULL THEN restart_requested END AS restartRequested
         FROM webhook_delivery WHERE id IN (${placeholders(ids)})${forWrite(manager)}`,
      [...ids],
    );
  }

  /** Makes deliveries due again, as if never attempted: the request to restart them has been waiting for the end of their lease. */
  async grantRestart(manager: EntityManager, ids: readonly number[], now: number): Promise<void> {
    await manager.query(
      `UPDATE webhook_delivery SET state = ?, attempt = 0, next_at = ?, finished = NULL, restart_requested = NULL
        WHERE id IN (${placeholders(ids)})`,
      [DeliveryState.Pending, now, ...ids],
    );
  }

  /**
   * Ends the leases of earlier processes on the embedded database, which belongs to this process alone. On a server, the holders
   * may be alive, and their leases run out.
   */
  async releaseAbandoned(manager: EntityManager): Promise<void> {
    if (isEmbedded(manager.dataSource)) await releaseDeliveries(manager);
  }
}
