import { parseUrl } from '../config/parse-url';
import { SourceError } from './source.error';

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** The addresses of a kind of source that is read over HTTP. */
export interface HttpAddressForm {
  /** The schemes of its addresses, each with a colon, and those that they stand for. */
  schemes: Readonly<Record<string, 'https:' | 'http:'>>;
  /** Such as `backlog://example.backlog.com`. */
  example: string;
  /** Such as `backlog://HOST or backlog://HOST/PATH`. */
  form: string;
}

/** Whether an address has one of the schemes of a form. */
export const hasSchemeOf = ({ schemes }: HttpAddressForm, address: string): boolean =>
  Object.hasOwn(schemes, schemeOf(address));

/**
 * Returns the URL that an address stands for, without a slash at its end.
 * @throws SourceError for anything else, or for a key sent in the clear
 */
export function toHttpUrl({ schemes, example, form }: HttpAddressForm, address: string): URL {
  const scheme = schemeOf(address);
  const protocol = Object.hasOwn(schemes, scheme) ? schemes[scheme] : undefined;
  const rest = address.slice(scheme.length);
  const url = protocol !== undefined && /^\/\/./.test(rest) ? parseUrl(`${protocol}${rest}`) : undefined;
  if (!url) throw new SourceError(`${address} is not an address such as ${example}.`);
  requireSafeAddress(url, form);
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

const schemeOf = (address: string): string => /^[a-z+]+:/.exec(address)?.[0] ?? '';

/**
 * Checks the address of a source.
 * @param form how such an address is written
 * @throws SourceError for a part that no address of a source has, or for a host elsewhere that would get the key in the clear
 */
export function requireSafeAddress(url: URL, form: string): void {
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new SourceError(`The address of a source is only ${form}; keys are given with --key.`);
  }
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    throw new SourceError(
      `HTTP without TLS is only for a source on this machine, because anyone on the way could read the key: use ${form}.`,
    );
  }
}
