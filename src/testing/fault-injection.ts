import { type ServerResponse } from 'node:http';
import { type NextFunction, type Request, type Response } from 'express';
import { type Environment } from '../config/environment';
import { type FaultTarget, targetMatcher } from './fault-target';
import { isErrorCode, sampleError } from './sample-errors';

/** The codes of the service's errors (`docs/decisions/0008-errors.md`). */
export type FaultCode = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13;

/** The effect on a request. At least one of `code`, `delay` and `drop` is required; they can be combined. */
export interface Fault {
  /** The response is the error with this code, 1 to 13, and the service does not process the request. */
  code?: FaultCode;
  /**
   * Delay of the request in milliseconds, before any other effect, at most 600,000. Alone, it only delays the real response. If
   * the client disconnects during the delay, the service does not process the request.
   */
  delay?: number;
  /**
   * Closes the connection: `before` the service processes the request, or in the `middle` of the response, after the request has
   * been processed. A response without a body has no middle and is not sent at all.
   */
  drop?: 'before' | 'middle';
  /** Number of requests affected; default 1, `Infinity` for all until it is cancelled. */
  times?: number;
}

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

const MAX_DELAY_MS = 600_000;

/** The faults of one test server. Created only by `startTestServer`. */
export class FaultInjection {
  private readonly faults = new Set<WaitingFault>();
  /** Responses of delayed requests. */
  private readonly delayed = new Set<Response>();

  constructor(private readonly environment: Environment) {}

  /** @throws TypeError, RangeError for an invalid fault */
  add(target: FaultTarget, fault: Fault): InjectedFault {
    check(fault);
    const waiting = new WaitingFault({ ...target }, { ...fault }, () => this.faults.delete(waiting));
    this.faults.add(waiting);
    return waiting;
  }

  /** Returns the faults that still wait for requests, oldest first. */
  unanswered(): InjectedFault[] {
    return [...this.faults];
  }

  /** Cancels all faults, and disconnects delayed requests. */
  clear(): void {
    this.faults.clear();
    for (const response of this.delayed) response.destroy();
    this.delayed.clear();
  }

  /** Express middleware; applies the oldest matching fault to a request. */
  readonly use = (request: Request, response: Response, next: NextFunction): void => {
    const path = this.pathOf(request);
    if (path === undefined || this.faults.size === 0) {
      next();
      return;
    }
    for (const waiting of this.faults) {
      if (!waiting.matches(request.method, path)) continue;
      waiting.take();
      this.happen(waiting.fault, request, response, next);
      return;
    }
    next();
  };

  private happen(fault: Fault, request: Request, response: Response, next: NextFunction): void {
    const { code, delay = 0, drop } = fault;
    if (delay > 0) {
      this.delay(response, delay, () => this.happen({ ...fault, delay: 0 }, request, response, next));
      return;
    }
    if (drop === 'before') {
      response.destroy();
      return;
    }
    if (drop === 'middle') dropMidway(response);
    if (code === undefined) next();
    else next(sampleError(code, { method: request.method, environment: this.environment }));
  }

  private delay(response: Response, milliseconds: number, then: () => void): void {
    const end = (): void => {
      clearTimeout(timer);
      response.off('close', end);
      this.delayed.delete(response);
    };
    const timer = setTimeout(() => {
      end();
      then();
    }, milliseconds);
    response.once('close', end);
    this.delayed.add(response);
  }

  /** Returns the decoded path below the base address; undefined outside of it. */
  private pathOf({ path }: Request): string | undefined {
    const { BASE_PATH } = this.environment;
    const base = BASE_PATH === '/' ? '' : BASE_PATH;
    if (!path.startsWith(`${base}/`)) return undefined;
    const rest = path.slice(base.length);
    try {
      return decodeURI(rest);
    } catch {
      return rest;
    }
  }
}

class WaitingFault implements InjectedFault {
  readonly matches: (method: string, path: string) => boolean;
  answered = 0;
  left: number;

  constructor(
    readonly target: Readonly<FaultTarget>,
    readonly fault: Readonly<Fault>,
    private readonly forget: () => void,
  ) {
    this.matches = targetMatcher(target);
    this.left = fault.times ?? 1;
  }

  take(): void {
    this.answered++;
    this.left--;
    if (this.left === 0) this.forget();
  }

  cancel(): void {
    this.left = 0;
    this.forget();
  }
}

function check({ code, delay, drop, times = 1 }: Fault): void {
  if (code === undefined && delay === undefined && drop === undefined) {
    throw new TypeError('A fault has a code, a delay or a drop.');
  }
  if (code !== undefined && !isErrorCode(code)) {
    throw new RangeError('The code of a fault is one of 1 to 13.');
  }
  if (delay !== undefined && !(delay >= 0 && delay <= MAX_DELAY_MS)) {
    throw new RangeError(`The delay of a fault is a number of milliseconds from 0 to ${MAX_DELAY_MS}.`);
  }
  if (drop !== undefined && !['before', 'middle'].includes(drop)) {
    throw new TypeError('The drop of a fault is before or middle.');
  }
  if (drop === 'before' && code !== undefined) {
    throw new TypeError('A connection that is dropped before the answer brings no code.');
  }
  if (times !== Infinity && !(Number.isInteger(times) && times >= 1)) {
    throw new RangeError('The times of a fault are a whole number from 1, or Infinity.');
  }
}

/** Sends half of the first piece of a body, and then closes the connection. */
function dropMidway(response: ServerResponse): void {
  const write = response.write.bind(response) as (chunk: Buffer, done: () => void) => boolean;
  const cutOff = (chunk: unknown, encoding: unknown): void => {
    response.write = () => false;
    response.end = () => response;
    const bytes = bytesOf(chunk, encoding);
    if (bytes.length === 0) {
      response.destroy();
      return;
    }
    response.flushHeaders();
    write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => response.destroy());
  };
  response.write = ((chunk: unknown, encoding: unknown) => {
    cutOff(chunk, encoding);
    return false;
  }) as ServerResponse['write'];
  response.end = ((chunk: unknown, encoding: unknown) => {
    cutOff(chunk, encoding);
    return response;
  }) as ServerResponse['end'];
}

function bytesOf(chunk: unknown, encoding: unknown): Buffer {
  if (typeof chunk === 'string') {
    return Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8');
  }
  return chunk instanceof Uint8Array ? Buffer.from(chunk) : Buffer.alloc(0);
}
