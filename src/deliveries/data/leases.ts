import { type EntityManager } from 'typeorm';
import { affectedRows, placeholders, quoted } from '../../database/sql/statements';
import { DeliveryState } from '../delivery-state';

/** The state of a delivery after a failed attempt. */
export interface FailedDelivery {
  id: number;
  leaseToken: string;
  /** When it is retried; undefined when it has failed permanently. */
  nextAt?: number;
}

/** A table of deliveries. */
export interface LeaseTable {
  /** With the columns `id`, `state`, `attempt`, `next_at`, `lease_token`, `lease_until` and `finished`. */
  table: string;
  /** Whether it also has `restart_requested`, which a lease and its end without an attempt clear. */
  hasRestarts?: true;
}

/**
 * The leases in a table of deliveries. One conditional UPDATE that sets a token decides which process gets a delivery, and
 * every later change checks the token, so that a holder of an expired lease changes nothing.
 */
export class Leases {
  private readonly table: string;
  private readonly clearRestart: string;

  constructor({ table, hasRestarts }: LeaseTable) {
    this.table = quoted(table);
    this.clearRestart = hasRestarts ? 'restart_requested = NULL, ' : '';
  }

  /** Leases the deliveries that are still due and not leased. The attempt to come satisfies every earlier request to restart. */
  async lease(
    manager: EntityManager,
    ids: readonly number[],
    { token, now, until }: { token: string; now: number; until: number },
  ): Promise<void> {
    await manager.query(
      `UPDATE ${this.table} SET ${this.clearRestart}lease_token = ?, lease_until = ?
          WHERE id IN (${placeholders(ids)}) AND state = ? AND next_at <= ? AND lease_until <= ?`,
      [token, until, ...ids, DeliveryState.Pending, now, now],
    );
  }

  /** Ends the lease of deliveries that were not attempted; the next attempt satisfies every request to restart. */
  async release(manager: EntityManager, token: string, ids: readonly number[]): Promise<void> {
    await manager.query(
      `UPDATE ${this.table} SET ${this.clearRestart}lease_token = NULL, lease_until = 0
            WHERE lease_token = ? AND id IN (${placeholders(ids)})`,
      [token, ...ids],
    );
  }

  /** Marks deliveries as delivered and ends their lease. */
  async complete(manager: EntityManager, token: string, ids: readonly number[], now: number): Promise<void> {
    await manager.query(
      `UPDATE ${this.table}
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
      `UPDATE ${this.table}
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
}
