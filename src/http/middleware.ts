import { randomUUID } from 'node:crypto';
import { type NextFunction, type Request, type Response } from 'express';

/** What a browser is told of answers that are data: show nothing, load nothing, guess nothing. */
const SECURITY_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
];

/** Gives a request the id that the log knows it by, and tells the client. */
export function setRequestId(request: Request, response: Response, next: NextFunction): void {
  request.id = randomUUID();
  response.setHeader('X-Request-Id', request.id);
  next();
}

/** Sets what helmet would for data; the documentation's pages have helmet itself. */
export function setSecurityHeaders(_request: Request, response: Response, next: NextFunction): void {
  for (const [name, value] of SECURITY_HEADERS) response.setHeader(name, value);
  next();
}
