import {
  type CorsOptions,
  type CorsOptionsDelegate,
} from '@nestjs/common/interfaces/external/cors-options.interface';
import { type Request } from 'express';
import { refuseBody } from '../request/request-body';

/** Allows pages of any origin. */
const ANY_ORIGIN = '*';

/** Response headers that pages may read, besides those that browsers always expose. */
const EXPOSED_HEADERS = [
  'Content-Disposition',
  'Link',
  'Location',
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
];
/** Maximum time for which browsers cache a preflight, in seconds. */
const MAX_AGE = 7200;

/**
 * Returns the permissions of pages of other origins: everything that programs may do, with a key of their own, because no cookie
 * authenticates here (`docs/decisions/0036-cors.md`).
 * @param origins `CORS_ORIGINS`
 */
export function corsOptions(origins: readonly string[]): CorsOptionsDelegate<Request> {
  const options: CorsOptions = {
    origin: origins.includes(ANY_ORIGIN) ? ANY_ORIGIN : [...origins],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: MAX_AGE,
  };
  // Other OPTIONS requests are answered like other unknown methods.
  const ofOthers: CorsOptions = { ...options, preflightContinue: true };
  return (request, callback) => {
    if (request.method !== 'OPTIONS') {
      callback(null, options);
      return;
    }
    try {
      refuseBody(request);
      callback(null, isPreflight(request) ? options : ofOthers);
    } catch (error) {
      callback(error as Error, ofOthers);
    }
  };
}

const isPreflight = ({ headers }: Request): boolean =>
  headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
