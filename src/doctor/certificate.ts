import { EnvironmentError, type Environment } from '../config/environment';
import { Certificate } from '../http/server/certificate';
import { type Finding, ok, problem, warning } from './finding';

const DAY_MS = 24 * 60 * 60 * 1000;
const SOON_MS = 14 * DAY_MS;

/** Checks whether the certificate of `TLS_CERT`, if there is one, can be used, and for how long. */
export function* checkCertificate(
  { TLS_CERT, TLS_KEY }: Pick<Environment, 'TLS_CERT' | 'TLS_KEY'>,
  now = Date.now(),
): Generator<Finding> {
  if (TLS_CERT === undefined || TLS_KEY === undefined) return;
  try {
    const { validTo } = new Certificate({ TLS_CERT, TLS_KEY });
    const left = validTo.getTime() - now;
    const message = `${TLS_CERT} is valid until ${validTo.toISOString()}.`;
    const advice = 'Replace both files; the service takes the new ones without a restart.';
    if (left <= 0) yield problem('certificate', message, advice);
    else yield left < SOON_MS ? warning('certificate', message, advice) : ok('certificate', message);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    yield problem('certificate', `${error.message}.`, 'The service does not start with these files.');
  }
}
