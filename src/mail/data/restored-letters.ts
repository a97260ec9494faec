import { type EntityManager } from 'typeorm';
import { DeliveryState } from '../../deliveries/delivery-state';

/** Ends the leases of all letters, whose holders no longer exist. */
export async function releaseLetters(manager: EntityManager): Promise<void> {
  await manager.query(
    'UPDATE mail_letter SET lease_token = NULL, lease_until = 0 WHERE state = ? AND lease_token IS NOT NULL',
    [DeliveryState.Pending],
  );
}

/**
 * Gives up the letters that a backup was about to send, which its service has sent since, and begins the next digests after the restore. Their
 * recipients could not tell a letter that comes again from a new one.
 */
export async function discardRestoredLetters(manager: EntityManager, now: number): Promise<void> {
  await manager.query(
    'UPDATE mail_letter SET state = ?, finished = ?, error = ?, lease_token = NULL, lease_until = 0 WHERE state = ?',
    [DeliveryState.Failed, now, 'Not sent: a backup was restored.', DeliveryState.Pending],
  );
  await manager.query('UPDATE mail_setting SET digest_after = ? WHERE digest_due IS NOT NULL', [now]);
  await manager.query(
    "UPDATE mail_server SET failures = 0, failing_since = NULL, paused_until = 0, pauses = 0, reason = '', next_at = 0",
  );
}
