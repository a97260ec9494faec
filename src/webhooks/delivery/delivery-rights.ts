import { addVisible, isForDevelopers } from '../../activities/activity-rights';
import { Conditions } from '../../database/conditions';
import { type Caller } from '../../access/caller';
import { type WebhookResource } from '../webhook.loader';
import { type ClaimedDelivery, type EndpointTarget } from './delivery';

/** Deliveries `d` with their events `e`. */
export const DELIVERY_TABLES = 'webhook_delivery d JOIN webhook_event e ON e.id = d.event_id';

/** The deliveries of a webhook that a caller may see: those whose activity the caller may see, and all tests. */
export function visibleDeliveries(webhook: WebhookResource, caller: Caller): Conditions {
  const conditions = new Conditions().add('d.webhook_id = ?', webhook.id);
  addVisible(conditions, caller, 'e.activity_type', 'e.activity_id IS NULL');
  return conditions;
}

/**
 * Whether who last changed a webhook may see what a delivery tells. Asked at each attempt, because that may have changed since
 * the event; a test tells of nothing that happened.
 */
export const mayBeSent = (endpoint: EndpointTarget, { activityId, activityType }: ClaimedDelivery): boolean =>
  activityId === null || Boolean(endpoint.ownerIsDeveloper) || !isForDevelopers(activityType);
