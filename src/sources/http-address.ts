import { requireSafeAddress } from './address';
import { SourceError } from './source.error';

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
  if (protocol === undefined || !/^\/\/./.test(rest) || !URL.canParse(`${protocol}${rest}`)) {
    throw new SourceError(`${address} is not an address such as ${example}.`);
  }
  const url = new URL(`${protocol}${rest}`);
  requireSafeAddress(url, form);
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

const schemeOf = (address: string): string => /^[a-z+]+:/.exec(address)?.[0] ?? '';
