import { randomBytes } from 'node:crypto';
import { type ActivityTexts } from '../../activities/text-references';
import { type ActivityType } from '../../activities/activity-type';
import { type Attempted, type DueTarget, type Leased } from '../../deliveries/delivery';
import { type PreviousSecret } from '../entities/webhook.entity';
import { type AttemptResult } from './webhook-sender';

/** 144 bits: 24 characters in base64url. */
const MESSAGE_ID_BYTES = 18;

/** The address of a webhook, and the secrets that sign its deliveries. */
export interface EndpointTarget {
  webhookId: number;
  hookUrl: string;
  secret: string | null;
  previousSecrets: PreviousSecret[] | null;
  /** Whether the user who last changed the webhook has a role of `DEVELOPERS`. */
  ownerIsDeveloper: boolean;
}

/** A webhook with due deliveries. */
export interface DueEndpoint extends EndpointTarget, DueTarget {
  projectId: number;
}

/** A delivery leased by this process. */
export interface ClaimedDelivery extends Leased {
  webhookId: number;
  messageId: string | null;
  /** Null for a test. */
  activityId: number | null;
  activityType: ActivityType;
  /** The body, with references to long texts. */
  payload: string;
  /** The long texts, shared by deliveries that were claimed together. */
  texts: ActivityTexts;
}

/** A finished attempt that is about to be recorded. */
export type FinishedAttempt = Attempted<DueEndpoint, ClaimedDelivery, AttemptResult>;

/**
 * Returns the `webhook-id` of a delivery: the same at every attempt, so that a receiver can recognize a repetition. Earlier
 * versions used the delivery's id.
 */
export const messageIdOf = ({ id, messageId }: { id: number; messageId: string | null }): string =>
  messageId ?? `msg_${id}`;

/** Returns a random id, which stays unique even after a backup is restored. */
export const newMessageId = (): string => `msg_${randomBytes(MESSAGE_ID_BYTES).toString('base64url')}`;
