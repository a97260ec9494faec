import { randomUUID } from 'node:crypto';
import { Injectable, type NestMiddleware, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type NextFunction, type Request, type Response } from 'express';
import helmet from 'helmet';
import { refuseBody } from '../request/request-body';
import { type ServiceAdapter } from '../server/service-adapter';

/** Where the pages of the documentation are; the one thing here that a browser shows. */
export const DOCUMENTATION_PATH = '/api-docs';

/** What a browser is told of answers that are data: show nothing, load nothing, guess nothing. */
const DATA_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
];

const setPageHeaders = helmet({
  contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
  strictTransportSecurity: false,
});

/** What every answer gets, in one step, because each costs every request: an id and security headers. */
@Injectable()
export class ResponseHeadersMiddleware implements NestMiddleware, OnModuleDestroy {
  constructor(private readonly adapterHost: HttpAdapterHost<ServiceAdapter>) {}

  /** Requests under way are finished while the other modules stop. */
  onModuleDestroy(): void {
    void this.adapterHost.httpAdapter.close();
  }

  use(request: Request, response: Response, next: NextFunction): void {
    request.id = randomUUID();
    response.setHeader('X-Request-Id', request.id);
    if (request.originalUrl.startsWith(DOCUMENTATION_PATH)) {
      refuseBody(request);
      setPageHeaders(request, response, next);
      return;
    }
    for (const [name, value] of DATA_HEADERS) response.setHeader(name, value);
    next();
  }
}
