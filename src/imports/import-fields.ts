import { type FieldReceivers } from '../attachments/upload-reader';
import { InvalidRequestError } from '../errors/domain-errors';
import { type ImportOptions, MAX_PAIRS } from './import-options';
import { userPairsOf } from './user-pairs';

/** Receives the options of an import from the fields of a form, and refuses wrong ones at once. */
export function optionsOf(): { receivers: FieldReceivers; options: ImportOptions } {
  const options = { projects: {}, users: {}, keepsAccounts: false };
  const receivers = {
    project: (value: string) => void (options.projects = pairsOf(value, 'project')),
    users: (value: string) => void (options.users = userPairsOf(value, 'users')),
    keepAccounts: (value: string) => void (options.keepsAccounts = toBoolean(value)),
  };
  return { receivers, options };
}

/**
 * Reads pairs such as `OLD:NEW`, separated by commas or line ends.
 * @param field names them in errors
 * @throws InvalidRequestError
 */
export function pairsOf(text: string | undefined, field: string): Record<string, string> {
  const pairs = new Map<string, string>();
  for (const [number, line] of (text ?? '').split(/[\n,]/).entries()) {
    const pair = line.trim();
    if (pair === '' || pair.startsWith('#')) continue;
    const [, from = '', to = ''] = /^([^:]+):([^:]+)$/.exec(pair) ?? [];
    const [old, now] = [unquoted(from), unquoted(to)];
    if (old === '' || now === '')
      throw InvalidRequestError.of(field, `Line ${number + 1} of ${field} is not a pair such as OLD:NEW.`);
    if (pairs.has(old))
      throw InvalidRequestError.of(field, `Line ${number + 1} of ${field} has a name that is there twice.`);
    pairs.set(old, now);
    if (pairs.size > MAX_PAIRS)
      throw InvalidRequestError.of(field, `There are more than ${MAX_PAIRS} pairs.`);
  }
  return Object.fromEntries(pairs);
}

const unquoted = (text: string): string => text.trim().replace(/^"(.*)"$/, '$1');

function toBoolean(value: string): boolean {
  if (value !== 'true' && value !== 'false')
    throw InvalidRequestError.of('keepAccounts', 'keepAccounts must be true or false.');
  return value === 'true';
}
