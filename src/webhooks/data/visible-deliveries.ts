import { type Caller } from '../../access/caller';
import { addVisible } from '../../activities/activity-rights';
import { Conditions } from '../../database/sql/conditions';
import { type WebhookResource } from '../webhook.loader';
import { type DeliveryState } from '../../deliveries/delivery-state';

/** Deliveries `d` with their events `e`. */
export const DELIVERY_TABLES = 'webhook_delivery d JOIN webhook_event e ON e.id = d.event_id';

/** Filter for the deliveries of a webhook; omitted fields match everything. */
export interface DeliveryFilter {
  state?: DeliveryState;
  /** Created at or after this time, in milliseconds since 1970. */
  since?: number;
  /** Created before this time. */
  until?: number;
  /** Activity types; empty for all. */
  activityTypes?: readonly number[];
}

/**
 * Returns the conditions for the deliveries of a webhook that a caller may see and that match a filter. All tests are visible,
 * and deliveries of activities that are visible to the caller.
 */
export function visibleDeliveries(
  webhook: WebhookResource,
  caller: Caller,
  { state, since, until, activityTypes }: DeliveryFilter = {},
): Conditions {
  const conditions = new Conditions().add('d.webhook_id = ?', webhook.id);
  addVisible(conditions, caller, 'e.activity_type', 'e.activity_id IS NULL');
  return conditions
    .addIf(state, 'd.state = ?')
    .addIf(since, 'd.created >= ?')
    .addIf(until, 'd.created < ?')
    .inIfAny('e.activity_type', activityTypes);
}
