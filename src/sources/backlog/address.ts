import { hasSchemeOf, type HttpAddressForm, toHttpUrl } from '../http-address';
import { type RemoteAddresses } from '../source';

const FORM: HttpAddressForm = {
  schemes: { 'backlog:': 'https:', 'backlog+http:': 'http:' },
  example: 'backlog://example.backlog.com',
  form: 'backlog://HOST or backlog://HOST/PATH',
};
const API_PATH = '/api/v2';

/** Whether an address is one of a space of the family. */
export const isBacklogAddress = (text: string): boolean => hasSchemeOf(FORM, text);

/**
 * Returns the base of a space's API: `backlog://HOST` is `https://HOST/api/v2`, and a path after the host is that of the API instead.
 * @throws SourceError for anything else, or for a key sent in the clear
 */
export function toApiBase(text: string): URL {
  const url = toHttpUrl(FORM, text);
  if (url.pathname === '/') url.pathname = API_PATH;
  return url;
}

export const backlogAddresses: RemoteAddresses = {
  form: 'backlog://HOST',
  needsKey: true,
  accepts: isBacklogAddress,
  originsOf: (from) => [toApiBase(from)],
};
