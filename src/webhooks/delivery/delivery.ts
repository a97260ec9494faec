import { type AttemptResult } from './webhook-sender';

/** Where a webhook's deliveries go, and what they are signed with. */
export interface EndpointTarget {
  webhookId: number;
  hookUrl: string;
  secret: string | null;
  previousSecret: string | null;
  previousSecretExpires: number | null;
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
  payload: string;
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

/** The `webhook-id` of a delivery: the same at every attempt, so that a receiver can tell a repeated one. */
export const messageId = (deliveryId: number): string => `msg_${deliveryId}`;
