import { isForDevelopers } from '../../activities/activity-rights';
import { type ClaimedDelivery, type EndpointTarget } from './delivery';

/**
 * Whether the user who changed a webhook last may see what a delivery reports. Checked at each attempt, because their rights
 * may have changed since the event. A test reports nothing that happened.
 */
export const mayBeSent = (endpoint: EndpointTarget, { activityId, activityType }: ClaimedDelivery): boolean =>
  activityId === null || endpoint.ownerIsDeveloper || !isForDevelopers(activityType);
