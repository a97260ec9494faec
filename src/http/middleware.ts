import { randomUUID } from 'node:crypto';
import { type Server } from 'node:http';
import { Injectable, type NestMiddleware, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type NextFunction, type Request, type Response } from 'express';
import helmet from 'helmet';

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

/** What every answer gets, in one step, because each costs every request: an id, security headers, and an end at stop. */
@Injectable()
export class CommonMiddleware implements NestMiddleware, OnModuleDestroy {
  private isStopping = false;

  constructor(private readonly adapterHost: HttpAdapterHost) {}

  onModuleDestroy(): void {
    this.isStopping = true;
    // What is just being answered has been told to keep its connection, and would hold up the stop for as long.
    (this.adapterHost.httpAdapter.getHttpServer() as Server).keepAliveTimeout = 1;
  }

  use(request: Request, response: Response, next: NextFunction): void {
    request.id = randomUUID();
    response.setHeader('X-Request-Id', request.id);
    // A client that keeps its connection busy would otherwise keep the service from stopping.
    if (this.isStopping) response.setHeader('Connection', 'close');
    if (request.originalUrl.startsWith(DOCUMENTATION_PATH)) {
      setPageHeaders(request, response, next);
      return;
    }
    for (const [name, value] of DATA_HEADERS) response.setHeader(name, value);
    next();
  }
}
