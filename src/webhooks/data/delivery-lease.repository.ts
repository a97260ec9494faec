import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { affectedRows, forWrite, isEmbedded, placeholders } from '../../database/sql/statements';
import { type ClaimedDelivery } from '../sending/delivery';
import { DeliveryState } from '../sending/delivery-state';
import { releaseDeliveries } from './restored-deliveries';

/** A delivery whose attempt has been recorded. */
export interface SettledDelivery {
  id: number;
  /** When a new start was requested during the lease that has just ended; null otherwise. */
  restartRequested: number | null;
}

/** The state of a delivery after a failed attempt. */
export interface FailedDelivery {
  id: number;
  leaseToken: string;
  /** When it is retried; undefined when it has failed permanently. */
  nextAt?: number;
}

/**
 * The leases in the table of deliveries. One conditional UPDATE that sets a token decides which process gets a delivery, and
 * every later change checks the token, so that a holder of an expired lease changes nothing.
 */
@Injectable()
export class DeliveryLeaseRepository {
  /** Returns the ids of a webhook's due deliveries without a lease, earliest first. */
  async findDueIds(manager: EntityManager, webhookId: number, now: number, limit: number): Promise<number[]> {
    const rows = await manager.query<{ id: number }[]>(
      `SELECT id FROM webhook_delivery
        WHERE webhook_id = ? AND state = ? AND next_at <= ? AND lease_until <= ? ORDER BY next_at, id LIMIT ?`,
      [webhookId, DeliveryState.Pending, now, now, limit],
    );
    return rows.map((row) => row.id);
  }

  /** Leases the deliveries that are still due and not leased. The attempt to come satisfies every earlier request to restart. */
  async lease(
    manager: EntityManager,
    ids: readonly number[],
    { token, now, until }: { token: string; now: number; until: number },
  ): Promise<void> {
    await manager.query(
      `UPDATE webhook_delivery SET restart_requested = NULL, lease_token = ?, lease_until = ?
          WHERE id IN (${placeholders(ids)}) AND state = ? AND next_at <= ? AND lease_until <= ?`,
      [token, until, ...ids, DeliveryState.Pending, now, now],
    );
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

  /** Ends the lease of deliveries that were not attempted; the next attempt satisfies every request to restart. */
  async release(manager: EntityManager, token: string, ids: readonly number[]): Promise<void> {
    await manager.query(
      `UPDATE webhook_delivery SET restart_requested = NULL, lease_token = NULL, lease_until = 0
            WHERE lease_token = ? AND id IN (${placeholders(ids)})`,
      [token, ...ids],
    );
  }

  /** Marks deliveries as delivered and ends their lease. */
  async complete(manager: EntityManager, token: string, ids: readonly number[], now: number): Promise<void> {
    await manager.query(
      `UPDATE webhook_delivery
            SET state = ?, attempt = attempt + 1, finished = ?, lease_token = NULL, lease_until = 0
          WHERE lease_token = ? AND id IN (${placeholders(ids)})`,
      [DeliveryState.Delivered, now, token, ...ids],
    );
  }

  /** Counts a failed attempt and ends the lease; the delivery becomes due again later, or fails permanently. */
  async postpone(
    manager: EntityManager,
    { id, leaseToken, nextAt }: FailedDelivery,
    now: number,
  ): Promise<void> {
    const isLast = nextAt === undefined;
    await affectedRows(
      manager,
      `UPDATE webhook_delivery
            SET state = ?, attempt = attempt + 1, next_at = ?, finished = ?, lease_token = NULL, lease_until = 0
          WHERE id = ? AND lease_token = ?`,
      [
        isLast ? DeliveryState.Failed : DeliveryState.Pending,
        nextAt ?? now,
        isLast ? now : null,
        id,
        leaseToken,
      ],
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
