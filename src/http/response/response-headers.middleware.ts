import { randomUUID } from 'node:crypto';
import { Injectable, type NestMiddleware, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type NextFunction, type Request, type Response } from 'express';
import helmet from 'helmet';
import { refuseBody } from '../request/request-body';
import { type ServiceAdapter } from '../server/service-adapter';

/** The path of the documentation, the only pages of the service that a browser displays. */
export const DOCUMENTATION_PATH = '/api-docs';

/** Security headers of answers that are data: a browser must not display them, load anything or guess their type. */
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

/** Gives every answer an id and security headers, in one middleware, because each one costs every request. */
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
