import { Injectable, Logger } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { type AuthorizedRequest } from '../access/access';
import { Environment } from '../config/environment';
import { clientAddress } from '../http/request/client-address';
import { onResponseEnd } from '../http/response/response-end';
import { operationOf } from '../http/server/routes';
import { LimitedLogger } from './limited-logger';

/** Probes that run every second and are not logged. */
const HEALTH_CHECK = /^\w+ \/health\//;

/**
 * Logs requests: every request at `debug`, slow ones at `warn`. A line contains the route's pattern and never the address, which
 * may contain a key.
 */
@Injectable()
export class RequestLogService {
  private readonly logger = new Logger('Requests');
  private readonly slowLogger = new LimitedLogger(this.logger);
  private readonly logsAll: boolean;
  private readonly slowMs: number;
  /** Whether `watch` has any effect: it adds a small cost to every request. */
  readonly isOn: boolean;

  constructor({ LOG_LEVEL, LOG_SLOW_REQUEST }: Environment) {
    this.logsAll = ['debug', 'trace'].includes(LOG_LEVEL);
    this.slowMs = LOG_SLOW_REQUEST === 0 ? Infinity : LOG_SLOW_REQUEST;
    this.isOn = this.logsAll || (['info', 'warn'].includes(LOG_LEVEL) && this.slowMs < Infinity);
  }

  /** Logs a request when its response has been sent, or its client has gone. */
  watch(request: Request, response: Response): void {
    const start = performance.now();
    onResponseEnd(response, () => this.end(request, response, performance.now() - start));
  }

  private end(request: Request, response: Response, duration: number): void {
    const isSlow = duration >= this.slowMs;
    if (!isSlow && !this.logsAll) return;
    if (isHealthCheck(request)) return;
    const line = requestDetails(request);
    // Without a complete response the client has not seen a status.
    const status = response.writableFinished ? response.statusCode : null;
    const details = { ...line, status, duration: Math.round(duration * 10) / 10 };
    if (isSlow) this.slowLogger.warn(details, 'Slow request');
    else this.logger.debug(details, 'Request');
  }
}

/** Whether the request is a health check. */
export const isHealthCheck = (request: Request): boolean => HEALTH_CHECK.test(operationOf(request));

/** Returns the details common to all lines about a request; none of them is secret. */
export function requestDetails(request: Request): {
  requestId: unknown;
  operation: string;
  userId: number | null;
  address: string;
} {
  return {
    requestId: request.id,
    operation: operationOf(request),
    userId: (request as Partial<AuthorizedRequest>).caller?.id ?? null,
    address: clientAddress(request),
  };
}
