import { type DomainError, InvalidRequestError } from '../../errors/domain-errors';

/**
 * Most entries of a query, a form or a JSON body, including those of inner lists and objects. More are refused before they are
 * parsed, because validating them would keep other requests waiting.
 */
export const MAX_ENTRIES = 5000;

/**
 * The decoded fields of a query string or form body: the texts given for each name. The type of a value, and whether there may
 * be several, is up to the field (`field-reader.ts`).
 */
export class Form {
  readonly entries = new Map<string, string[]>();

  /** @param name as written, with or without the brackets of a list: `key[]`, `key[0]` */
  add(name: string, value: string): void {
    const plainName = name.replace(/\[\d*\]$/, '');
    const values = this.entries.get(plainName);
    if (values) values.push(value);
    else this.entries.set(plainName, [value]);
  }
}

const tooManyParameters = (): DomainError =>
  new InvalidRequestError(`At most ${MAX_ENTRIES.toLocaleString('en')} parameters are allowed.`);

/**
 * Reads `application/x-www-form-urlencoded` text (`docs/decisions/0005-requests.md`).
 * @param tooMany makes the error for a text with too many entries
 * @throws InvalidRequestError when an escape is malformed or does not spell well-formed UTF-8
 */
export function parseForm(text: string, tooMany = tooManyParameters): Form {
  if (countEntries(text) > MAX_ENTRIES) throw tooMany();
  const form = new Form();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = equals === -1 ? pair : pair.slice(0, equals);
    form.add(decode(name), equals === -1 ? '' : decode(pair.slice(equals + 1)));
  }
  return form;
}

/** At least the number of entries, as far as it matters for the limit. */
function countEntries(text: string): number {
  // A text this short cannot have too many.
  if (text.length <= MAX_ENTRIES) return 0;
  let count = 1;
  for (let at = text.indexOf('&'); at !== -1 && count <= MAX_ENTRIES; at = text.indexOf('&', at + 1)) count++;
  return count;
}

function decode(text: string): string {
  try {
    // `replaceAll` takes a tenth of a second for a million pluses.
    return decodeURIComponent(text.split('+').join(' '));
  } catch {
    throw new InvalidRequestError('The parameters are not well-formed percent-encoded UTF-8.');
  }
}
