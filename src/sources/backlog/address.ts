import { SourceError } from '../source.error';

const SCHEMES: Readonly<Record<string, string>> = { 'backlog:': 'https:', 'backlog+http:': 'http:' };
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
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
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new SourceError(
      `The address of a source is only backlog://HOST or backlog://HOST/PATH; keys are given with --key.`,
    );
  }
  if (protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    throw new SourceError('backlog+http:// is only for this machine: anyone on the way could read the key.');
  }
  if (url.pathname === '/') url.pathname = API_PATH;
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}
