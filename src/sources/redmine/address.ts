import { hasSchemeOf, type HttpAddressForm, toHttpUrl } from '../http-address';
import { type RemoteAddresses } from '../source';

const FORM: HttpAddressForm = {
  schemes: { 'redmine+https:': 'https:', 'redmine+http:': 'http:' },
  example: 'redmine+https://redmine.example.com',
  form: 'redmine+https://HOST or redmine+https://HOST/PATH',
};

/** Whether an address is one of a Redmine. */
export const isRedmineAddress = (text: string): boolean => hasSchemeOf(FORM, text);

/**
 * Returns the address of a Redmine's first page, below which its API is.
 * @throws SourceError for anything else, or for a key sent in the clear
 */
export const toBase = (text: string): URL => toHttpUrl(FORM, text);

export const redmineAddresses: RemoteAddresses = {
  form: 'redmine+https://HOST',
  givesKeys: true,
  needsKey: true,
  accepts: isRedmineAddress,
  originsOf: (from) => [toBase(from)],
};
