import { type EntityManager } from 'typeorm';
import { DeliveryState } from '../../deliveries/delivery-state';

/** Ends the leases of all deliveries, whose holders no longer exist or belong to another database. Reads only pending deliveries. */
export async function releaseDeliveries(manager: EntityManager): Promise<void> {
  await manager.query(
    `UPDATE webhook_delivery SET restart_requested = NULL, lease_token = NULL, lease_until = 0
      WHERE webhook_id IN (SELECT id FROM webhook) AND state = ? AND lease_token IS NOT NULL`,
    [DeliveryState.Pending],
  );
}

/** Disables every webhook, so that nothing is sent until it is enabled; due deliveries are kept. */
export async function disableWebhooks(manager: EntityManager): Promise<void> {
  await manager.query('UPDATE webhook_health SET enabled = ?, reason = ? WHERE enabled = ?', [
    false,
    'Disabled by the restore of a backup.',
    true,
  ]);
}

/** Counts the pending deliveries. */
export async function countPendingDeliveries(manager: EntityManager): Promise<number> {
  const [{ count }] = await manager.query<[{ count: number | string }]>(
    'SELECT COUNT(*) AS count FROM webhook_delivery WHERE state = ?',
    [DeliveryState.Pending],
  );
  return Number(count);
}
