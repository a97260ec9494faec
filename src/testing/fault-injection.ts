import { type ServerResponse } from 'node:http';
import { type NextFunction, type Request, type Response } from 'express';
import { type Environment } from '../config/environment';
import { type Fault, type InjectedFault } from './fault';
import { checkTarget, type FaultTarget, targetMatcher } from './fault-target';
import { isErrorCode, sampleError } from './sample-errors';

const MAX_DELAY_MS = 600_000;

/** The faults of one test server. Created only by `startTestServer`. */
export class FaultInjection {
  private readonly faults = new Set<WaitingFault>();
  /** Responses of delayed requests. */
  private readonly delayed = new Set<Response>();

  constructor(private readonly environment: Environment) {}

  /**
   * @param routes the path patterns of the service
   * @throws TypeError, RangeError for an invalid fault, and for a target that no request can match
   */
  add(target: FaultTarget, fault: Fault, routes: readonly string[]): InjectedFault {
    checkTarget(target, this.basePath, routes);
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

  /** The base path without a slash at the end. */
  private get basePath(): string {
    const { BASE_PATH } = this.environment;
    return BASE_PATH === '/' ? '' : BASE_PATH;
  }

  /** Returns the decoded path below the base address; undefined outside of it. */
  private pathOf({ path }: Request): string | undefined {
    const base = this.basePath;
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

/** A fault of a caller without types. */
interface AnyFault {
  code?: number;
  delay?: number;
  drop?: string;
  times?: number;
}

const FAULT_FIELDS = ['code', 'delay', 'drop', 'times'];

function check(fault: Fault): void {
  const unknown = Object.keys(fault).find((name) => !FAULT_FIELDS.includes(name));
  if (unknown !== undefined) throw new TypeError(`A fault has no field ${unknown}.`);
  const { code, delay, drop, times = 1 }: AnyFault = fault;
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
    throw new TypeError('A fault that drops the connection before the response cannot have a code.');
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
