import { type DomainError, InvalidRequestError } from '../../errors/domain-errors';
import { grouped } from '../../quantities';

/**
 * Maximum number of entries of a request: of its query, and of its form or JSON body, including those of nested lists and
 * objects. A request with more is refused before it is parsed, because validating it would delay other requests.
 */
export const MAX_ENTRIES = 5000;

const PLUS = 0x2b;
const SPACE = 0x20;

/** Returns the name of a field without the brackets of a list: `key` for `key[]` and `key[0]`. */
export const plainNameOf = (name: string): string => name.replace(/\[\d*\]$/, '');

/**
 * The decoded fields of a query string or form body: the texts given for each name. The field defines the type of its value and
 * whether it may have several (`field-reader.ts`).
 */
export class Form {
  readonly entries = new Map<string, string[]>();

  /** Total number of values. */
  get size(): number {
    let size = 0;
    for (const values of this.entries.values()) size += values.length;
    return size;
  }

  /** @param name as written, with or without the brackets of a list: `key[]`, `key[0]` */
  add(name: string, value: string): void {
    const plainName = plainNameOf(name);
    const values = this.entries.get(plainName);
    if (values) values.push(value);
    else this.entries.set(plainName, [value]);
  }
}

const parameterLimitError = (): DomainError =>
  new InvalidRequestError(`At most ${grouped(MAX_ENTRIES)} parameters are allowed.`);

/**
 * Reads `application/x-www-form-urlencoded` text (`docs/decisions/0005-requests.md`).
 * @param max maximum number of entries; `tooMany` creates the error for a text with more
 * @throws InvalidRequestError when an escape is malformed or does not spell well-formed UTF-8
 */
export function parseForm(text: string, { max = MAX_ENTRIES, tooMany = parameterLimitError } = {}): Form {
  if (hasMoreEntriesThan(text, max)) throw tooMany();
  const form = new Form();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = equals === -1 ? pair : pair.slice(0, equals);
    form.add(decode(name), equals === -1 ? '' : decode(pair.slice(equals + 1)));
  }
  return form;
}

function hasMoreEntriesThan(text: string, max: number): boolean {
  // Each entry but the last takes at least one byte.
  if (text.length <= max) return false;
  let count = 1;
  for (let at = text.indexOf('&'); at !== -1 && count <= max; at = text.indexOf('&', at + 1)) count++;
  return count > max;
}

function decode(text: string): string {
  const spaced = text.includes('+') ? withSpaces(Buffer.from(text)).toString() : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw new InvalidRequestError('The parameters are not well-formed percent-encoded UTF-8.');
  }
}

/**
 * Returns the bytes of a form with spaces for its plus signs: `replaceAll` and `split` on the text take a tenth of a second for a million
 * of them. A body has them replaced before it is parsed, because `parseForm` would encode and decode each of its values.
 */
export function withSpaces(form: Buffer): Buffer {
  const bytes = Buffer.from(form);
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === PLUS) bytes[at] = SPACE;
  return bytes;
}
