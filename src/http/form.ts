import { InvalidRequestError } from '../errors/domain-errors';

/**
 * Decoded fields of a query string or of a form body: the values that each name was given. What type a value has, and whether
 * there may be several, is for the field to say.
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

/**
 * Reads `application/x-www-form-urlencoded` text (decisions, section 3).
 * @throws InvalidRequestError when an escape is malformed or does not spell well-formed UTF-8
 */
export function parseForm(text: string): Form {
  const form = new Form();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = equals === -1 ? pair : pair.slice(0, equals);
    form.add(decode(name), equals === -1 ? '' : decode(pair.slice(equals + 1)));
  }
  return form;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new InvalidRequestError('The parameters are not well-formed percent-encoded UTF-8.');
  }
}
