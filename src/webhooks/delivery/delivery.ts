import { randomBytes } from 'node:crypto';
import { type ActivityTexts } from '../../activities/activity-texts';
import { type ActivityType } from '../../activities/activity-type';
import { type AttemptResult } from './webhook-sender';

/** 144 bits: 24 characters in base64url. */
const MESSAGE_ID_BYTES = 18;

/** Where a webhook's deliveries go, and what they are signed with. */
export interface EndpointTarget {
  webhookId: number;
  hookUrl: string;
  secret: string | null;
  /** JSON text. */
  previousSecrets: string | null;
  /** Whether who last changed the webhook may see what is for Administrators and Normal Users alone. */
  ownerIsDeveloper: number | boolean;
}

/** A webhook that has something due. */
export interface DueEndpoint extends EndpointTarget {
  projectId: number;
  failures: number;
  pausedUntil: number;
}

/** A delivery that this process holds. */
export interface ClaimedDelivery {
  id: number;
  webhookId: number;
  /** Attempts made before. */
  attempt: number;
  leaseToken: string;
  leaseUntil: number;
  messageId: string | null;
  /** Null for a test. */
  activityId: number | null;
  activityType: ActivityType;
  /** With references to long texts. */
  payload: string;
  /** The long texts, which the deliveries that were taken together share. */
  texts: ActivityTexts;
}

/** An attempt that is over, to be written down. */
export interface FinishedAttempt {
  delivery: ClaimedDelivery;
  endpoint: DueEndpoint;
  started: number;
  duration: number;
  result: AttemptResult;
  /** Milliseconds until the next attempt; undefined when there is none. */
  retryDelay?: number;
}

/**
 * The `webhook-id` of a delivery: the same at every attempt, so that a receiver can tell a repeated one. Those of earlier
 * versions were numbered.
 */
export const messageIdOf = ({ id, messageId }: { id: number; messageId: string | null }): string =>
  messageId ?? `msg_${id}`;

/** An id that no other delivery ever has, whatever is restored from a backup. */
export const newMessageId = (): string => `msg_${randomBytes(MESSAGE_ID_BYTES).toString('base64url')}`;
