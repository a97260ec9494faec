import { isForDevelopers } from '../../activities/activity-rights';
import { type ClaimedDelivery, type EndpointTarget } from './delivery';

/**
 * Whether the user who last changed a webhook may see the activity of a delivery. Checked at each attempt, because the user's
 * rights may have changed since the event. A test has no activity.
 */
export const mayBeSent = (endpoint: EndpointTarget, { activityId, activityType }: ClaimedDelivery): boolean =>
  activityId === null || endpoint.ownerIsDeveloper || !isForDevelopers(activityType);
