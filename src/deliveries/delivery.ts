/** What deliveries are sent to, such as a webhook. Each gets a share of the attempts, and has a circuit. */
export interface DueTarget {
  /** Failures since the last success. */
  failures: number;
  /** When the pause of the open circuit ends or ended, in milliseconds since 1970; 0 while the circuit is closed. */
  pausedUntil: number;
}

/** A delivery leased by this process. */
export interface Leased {
  id: number;
  /** Number of earlier attempts. */
  attempt: number;
  leaseToken: string;
  leaseUntil: number;
}

/** The result of an attempt. */
export interface DeliveryResult {
  /** A message that explains the failure; `''` for a success. */
  error: string;
  /** The status of the response, according to which a retry may wait for longer. */
  status?: number;
  /** When the target asks for a retry, as in HTTP. */
  retryAfter?: string;
  /** Whether nothing was or will be sent, which does not count as a failure of the target. */
  isWithheld?: boolean;
  /** Whether only this delivery has failed, which does not count as a failure of the target either, but may be retried. */
  isItsOwnFailure?: boolean;
  /** Whether a retry would fail in the same way. */
  isFinal?: boolean;
}

/** A finished attempt that is about to be recorded. */
export interface Attempted<Target, Delivery, Result> {
  delivery: Delivery;
  target: Target;
  /** In milliseconds since 1970. */
  started: number;
  /** In milliseconds. */
  duration: number;
  result: Result;
  /** Milliseconds until the next attempt; undefined when there is none. */
  retryDelay?: number;
}

/** Whether an attempt shows that its target fails. */
export const isFailureOfTarget = ({ error, isWithheld, isItsOwnFailure }: DeliveryResult): boolean =>
  error !== '' && !isWithheld && !isItsOwnFailure;
