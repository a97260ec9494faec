import {
  type CorsOptions,
  type CorsOptionsDelegate,
} from '@nestjs/common/interfaces/external/cors-options.interface';
import { type Request } from 'express';
import { refuseBody } from '../request/request-body';

/** Pages of any origin. */
export const ANY_ORIGIN = '*';

/** Headers of responses that pages may read, besides those that browsers always show them. */
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
/** As long as any browser remembers a preflight, in seconds. */
const MAX_AGE = 7200;

/**
 * What pages of other origins may do: everything that programs may, with a key of their own, because no cookie authenticates here
 * (`docs/decisions/0036-cors.md`).
 * @param origins `CORS_ORIGINS`
 */
export function corsOptions(origins: readonly string[]): CorsOptionsDelegate<Request> {
  const options: CorsOptions = {
    origin: origins.includes(ANY_ORIGIN) ? ANY_ORIGIN : [...origins],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: MAX_AGE,
  };
  // Anything else with the method OPTIONS is answered like other unknown methods.
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
