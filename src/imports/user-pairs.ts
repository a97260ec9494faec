import { CsvError, parse } from 'csv-parse/sync';
import { InvalidRequestError } from '../errors/domain-errors';
import { MAX_PAIRS } from './import-options';

/** The most bytes of a line. */
const MAX_LINE = 2048;
/** A line that may begin a YAML document. */
const YAML_START = '---';

/**
 * Reads who the people of an archive are in the space: one pair a line, such as `old,new` or `old: new`, so that a CSV file without a heading and a
 * flat YAML file are both read. `#` begins a comment. Names with one of these characters are in quotes.
 * @param field names the text in errors
 * @returns login names, mail addresses or ids of users of the space, by login names of the archive
 * @throws InvalidRequestError with the number of the line
 */
export function userPairsOf(text: string | undefined, field: string): Record<string, string> {
  const pairs = new Map<string, string>();
  for (const { record, info } of linesOf(text ?? '', field)) {
    if (record.length === 1 && record[0] === YAML_START) continue;
    const [old, now] = record.map(withoutSingleQuotes);
    if (record.length !== 2 || !old || !now)
      throw lineError(info.lines, field, 'is not a pair such as OLD,NEW');
    if (pairs.has(old)) throw lineError(info.lines, field, `has the name ${JSON.stringify(old)} again`);
    pairs.set(old, now);
    if (pairs.size > MAX_PAIRS)
      throw InvalidRequestError.of(field, `There are more than ${MAX_PAIRS} pairs in ${field}.`);
  }
  return Object.fromEntries(pairs);
}

/** A line with its fields. */
interface Line {
  record: string[];
  info: { lines: number };
}

function linesOf(text: string, field: string): Line[] {
  try {
    return parse(text, {
      bom: true,
      comment: '#',
      delimiter: [',', ':'],
      info: true,
      max_record_size: MAX_LINE,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    }) as unknown as Line[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { code, lines } = error as CsvError & { lines?: number };
    throw lineError(lines ?? 1, field, REASONS[code] ?? 'cannot be read');
  }
}

const REASONS: Readonly<Partial<Record<string, string>>> = {
  CSV_MAX_RECORD_SIZE: 'is too long',
  CSV_QUOTE_NOT_CLOSED: 'lacks a closing quote',
};

const lineError = (line: number, field: string, reason: string): InvalidRequestError =>
  InvalidRequestError.of(field, `Line ${line} of ${field} ${reason}.`);

/** YAML has them, too. */
const withoutSingleQuotes = (name: string): string => name.replace(/^'(.*)'$/, '$1');
