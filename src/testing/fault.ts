import { type FaultTarget } from './fault-target';

/** The codes of the service's errors (`docs/decisions/0001-wire-protocol.md#errors`). */
export type FaultCode = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13;

/** When and how often a fault has its effect. */
interface FaultOccurrence {
  /**
   * Delay of the request in milliseconds, before any other effect, at most 600,000. Alone, it only delays the real response. If
   * the client disconnects during the delay, the service does not process the request.
   */
  delay?: number;
  /** Number of requests affected; default 1, `Infinity` for all until it is cancelled. */
  times?: number;
}

/** An answer or its loss. */
interface AnsweringFault extends FaultOccurrence {
  /** The response is the error with this code, 1 to 13, and the service does not process the request. */
  code?: FaultCode;
  /**
   * Closes the connection in the middle of the response, after the request has been processed. A response without a body has no middle and
   * is not sent at all.
   */
  drop?: 'middle';
}

/** The loss of the connection before the service processes the request, so that there is no answer. */
interface SilentFault extends FaultOccurrence {
  code?: undefined;
  drop: 'before';
}

/** The effect on a request. At least one of `code`, `delay` and `drop` is required; they can be combined, but not `code` with `before`. */
export type Fault = AnsweringFault | SilentFault;

/** A fault that waits for matching requests. */
export interface InjectedFault {
  readonly target: Readonly<FaultTarget>;
  readonly fault: Readonly<Fault>;
  /** Number of requests affected so far. */
  readonly answered: number;
  /** Number of requests still to be affected. */
  readonly left: number;
  /** Cancels the rest of the fault. Delayed requests continue as planned. */
  cancel(): void;
}
