import { requireSafeAddress } from '../address';
import { SourceError } from '../source.error';

const SCHEMES: Readonly<Record<string, string>> = { 'backlog:': 'https:', 'backlog+http:': 'http:' };
const API_PATH = '/api/v2';

/** Whether an address is one of a space of the family. */
export const isBacklogAddress = (text: string): boolean => /^backlog(\+http)?:/.test(text);

/**
 * Returns the base of a space's API: `backlog://HOST` is `https://HOST/api/v2`, and a path after the host is that of the API instead.
 * @throws SourceError for anything else, or for a key sent in the clear
 */
export function toApiBase(text: string): URL {
  const [, scheme = '', rest = ''] = /^([a-z+]+:)(\/\/.+)$/.exec(text) ?? [];
  const protocol = SCHEMES[scheme];
  if (protocol === undefined || !URL.canParse(`${protocol}${rest}`)) {
    throw new SourceError(`${text} is not an address such as backlog://example.backlog.com.`);
  }
  const url = new URL(`${protocol}${rest}`);
  requireSafeAddress(url, 'backlog://HOST or backlog://HOST/PATH');
  if (url.pathname === '/') url.pathname = API_PATH;
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}
