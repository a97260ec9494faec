import { randomUUID } from 'node:crypto';
import { Injectable, type NestMiddleware, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type NextFunction, type Request, type Response } from 'express';
import helmet from 'helmet';
import { RequestLogService } from '../../logging/request-log.service';
import { refuseBody } from '../request/request-body';
import { type ServiceAdapter } from '../server/service-adapter';

/** Path of the documentation, the only pages of the service that a browser displays. */
export const DOCUMENTATION_PATH = '/api-docs';

/** Security headers of data responses: a browser must not display them, load anything or guess their type. */
const DATA_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
];

/** Makes browsers use TLS alone for a year. */
const TRANSPORT_SECURITY = ['Strict-Transport-Security', 'max-age=31536000'] as const;

/** Valid request ids of proxies and clients, used in the log and in the response. */
const REQUEST_ID = /^[\w.:/+=@-]{1,128}$/;

/** Returns the valid id of the request's header, or a new one. */
function requestIdOf({ headers }: Request): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

const setPageHeaders = helmet({
  contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
  strictTransportSecurity: false,
});

/** Sets the id and the security headers of every response, in one middleware, because each one adds a cost to every request. */
@Injectable()
export class ResponseHeadersMiddleware implements NestMiddleware, OnModuleDestroy {
  constructor(
    private readonly adapterHost: HttpAdapterHost<ServiceAdapter>,
    private readonly requestLog: RequestLogService,
  ) {}

  /** Requests under way are completed while the other modules shut down. */
  onModuleDestroy(): void {
    void this.adapterHost.httpAdapter.close();
  }

  use(request: Request, response: Response, next: NextFunction): void {
    const id = requestIdOf(request);
    request.id = id;
    response.setHeader('X-Request-Id', id);
    // A proxy that terminates TLS decides for itself.
    if (this.adapterHost.httpAdapter.certificate) response.setHeader(...TRANSPORT_SECURITY);
    if (this.requestLog.isOn) this.requestLog.watch(request, response);
    if (request.originalUrl.startsWith(DOCUMENTATION_PATH)) {
      refuseBody(request);
      setPageHeaders(request, response, next);
      return;
    }
    for (const [name, value] of DATA_HEADERS) response.setHeader(name, value);
    next();
  }
}
