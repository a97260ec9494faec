import { type DataSource } from 'typeorm';
import { type Caller } from '../../access/caller';
import { addVisible } from '../../activities/activity-rights';
import { DEVELOPERS } from '../../access/role-type';
import { Conditions } from '../../database/sql/conditions';
import { type ListSource } from '../../database/sql/list-page';
import { using } from '../../database/sql/statements';
import { type WebhookResource } from '../webhook.loader';
import { type DeliveryState } from '../../deliveries/delivery-state';

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

/** The index with everything that a filter reads of an event: the table itself consists of payloads. */
const EVENT_FACTS = 'ix_webhook_event_id_activity_type_activity_id';

/**
 * Returns the deliveries `d` of a webhook that a caller may see and that match a filter: what stands between FROM and WHERE, and the
 * conditions. All tests are visible, and deliveries of activities that are visible to the caller.
 */
export function visibleDeliveries(
  dataSource: DataSource,
  webhook: WebhookResource,
  caller: Caller,
  { state, since, until, activityTypes }: DeliveryFilter = {},
): Pick<ListSource, 'from' | 'conditions'> {
  const ofEvents = new Conditions();
  addVisible(ofEvents, caller, 'e.activity_type', 'e.activity_id IS NULL');
  ofEvents.inIfAny('e.activity_type', activityTypes);
  const conditions = new Conditions()
    .add('d.webhook_id = ?', webhook.id)
    .addIf(state, 'd.state = ?')
    .addIf(since, 'd.created >= ?')
    .addIf(until, 'd.created < ?')
    .and(ofEvents);
  if (ofEvents.where === '') return { from: 'webhook_delivery d', conditions };
  return {
    from: `webhook_delivery d JOIN webhook_event e ${using(dataSource, EVENT_FACTS)} ON e.id = d.event_id`,
    conditions,
  };
}

/** Deliveries that a page may skip while it is read with the other statements. */
const MOST_SKIPPED = 1000;

/**
 * Whether a page of a webhook's deliveries may read many more than it shows, up to the whole log: an index has what the filters read, but
 * in the order of the log, because an index for each filter would be written with every delivery.
 */
export const readsManyDeliveries = (
  caller: Caller,
  { state, since, until, activityTypes = [] }: DeliveryFilter,
  offset: number,
): boolean =>
  offset > MOST_SKIPPED ||
  activityTypes.length > 0 ||
  [state, since, until].some((value) => value !== undefined) ||
  !DEVELOPERS.includes(caller.roleType);
