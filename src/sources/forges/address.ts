import { parseUrl } from '../../config/parse-url';
import { requireSafeAddress } from '../http-address';
import { SourceError } from '../source.error';

/** Where a repository is, and how its host is read. */
export interface ForgeAddress {
  /** The origin of its pages and git repositories. */
  web: URL;
  /** The base of the API. */
  api: URL;
  /** The path of the repository, such as `owner/repository`. */
  path: string;
}

/** How the addresses of a kind of host are written. */
export interface ForgeForm {
  /** The scheme, such as `github`: `github:PATH` is at the hosted service, `github+https://HOST/PATH` at another. */
  scheme: string;
  hosted: { web: string; api: string };
  /** The path of the API of other hosts. */
  apiPath: string;
  isPath: (path: string) => boolean;
  /** An example of an address. */
  example: string;
}

/** Whether an address is of this form. */
export const isForgeAddress = ({ scheme }: ForgeForm, text: string): boolean =>
  [`${scheme}:`, `${scheme}+https:`, `${scheme}+http:`].some((start) => text.startsWith(start));

/** Reads the address of a repository. @throws SourceError for anything else, or for a key sent in the clear */
export function toForgeAddress(form: ForgeForm, text: string): ForgeAddress {
  const { scheme, hosted, apiPath, isPath, example } = form;
  const wrong = new SourceError(`${text} is not an address such as ${example} or ${otherForm(form)}.`);
  const hostedPath = text.startsWith(`${scheme}:`) ? text.slice(scheme.length + 1) : undefined;
  if (hostedPath !== undefined) {
    if (!isPath(hostedPath)) throw wrong;
    return { web: new URL(hosted.web), api: new URL(hosted.api), path: hostedPath };
  }
  const url = parseUrl(text.slice(scheme.length + 1));
  if (!url) throw wrong;
  requireSafeAddress(url, otherForm(form));
  const path = url.pathname.slice(1);
  if (!isPath(path)) throw wrong;
  return { web: new URL(url.origin), api: new URL(apiPath, url.origin), path };
}

const otherForm = ({ scheme, example }: ForgeForm): string =>
  `${scheme}+https://HOST/${example.slice(scheme.length + 1)}`;
