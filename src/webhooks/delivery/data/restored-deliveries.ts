import { type EntityManager } from 'typeorm';
import { DeliveryState } from '../delivery-state';

/** Ends the leases of all deliveries: their holders belong to another database. */
export async function releaseDeliveries(manager: EntityManager): Promise<void> {
  await manager.query(
    'UPDATE webhook_delivery SET lease_token = NULL, lease_until = 0 WHERE lease_token IS NOT NULL',
  );
}

/** Disables every webhook, so that nothing is sent until it is enabled; due deliveries are kept. */
export async function disableWebhooks(manager: EntityManager): Promise<void> {
  await manager.query('UPDATE webhook_health SET enabled = ? WHERE enabled = ?', [false, true]);
}

/** Counts the pending deliveries. */
export async function countPendingDeliveries(manager: EntityManager): Promise<number> {
  const [{ count }] = await manager.query<[{ count: number | string }]>(
    'SELECT COUNT(*) AS count FROM webhook_delivery WHERE state = ?',
    [DeliveryState.Pending],
  );
  return Number(count);
}
