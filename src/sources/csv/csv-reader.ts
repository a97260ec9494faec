import { pipeline } from 'node:stream/promises';
import { type CsvError, type InfoRecord, type Options, parse } from 'csv-parse';
import { counted, grouped } from '../../quantities';
import { SourceError } from '../source.error';
import { readText, type TextFile } from './csv-text';

/** The most characters of a record, with its delimiters. */
const MAX_RECORD = 8 * 1024 * 1024;
const MAX_HEADER = 1024 * 1024;
const MAX_COLUMNS = 10_000;
const DELIMITERS = [',', ';', '\t'] as const;

/** A CSV file, and its delimiter: a comma, a semicolon or a tab; by default the one that its header has most often. */
export interface CsvFile extends TextFile {
  delimiter?: string;
}

/** A record of a CSV file. */
export interface CsvRecord {
  /** Where it begins, from 1. */
  line: number;
  fields: readonly string[];
}

/**
 * Yields the header of a CSV file (RFC 4180) and its records, which all have as many columns. Empty lines are no records. Memory does not grow
 * with the file.
 * @throws SourceError that names the line, and the column where there is one
 */
export async function* readCsv(file: CsvFile): AsyncGenerator<CsvRecord> {
  const texts = readText(file);
  try {
    const start = await readStart(file, texts);
    const delimiter = file.delimiter ?? delimiterOf(start);
    yield* parseRecords(file.path, delimiter, start, texts);
  } finally {
    await texts.return(undefined);
  }
}

/** Returns the fields of the header of a CSV file. @throws SourceError if it has none */
export async function readHeader(file: CsvFile): Promise<readonly string[]> {
  for await (const { fields } of readCsv(file)) return fields;
  throw new SourceError(`${file.path} is empty: its first line names the columns.`);
}

/** Returns the delimiter that a header has most often outside of quotes. */
export function delimiterOf(header: string): string {
  const counts = new Map<string, number>(DELIMITERS.map((delimiter) => [delimiter, 0]));
  scanHeader(header, (character) => {
    const count = counts.get(character);
    if (count !== undefined) counts.set(character, count + 1);
  });
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}

/** Reads until the header has ended. */
async function readStart({ path }: CsvFile, texts: AsyncGenerator<string>): Promise<string> {
  let start = '';
  for (let next = await texts.next(); !next.done; next = await texts.next()) {
    start += next.value;
    if (scanHeader(start)) return start;
    if (start.length > MAX_HEADER) {
      throw new SourceError(
        `${path}, line 1, has more than ${grouped(MAX_HEADER)} characters: a header has the names of columns.`,
      );
    }
  }
  return start;
}

/** Whether a text has the whole first line. @param see called with each character of it that is not quoted */
function scanHeader(text: string, see: (character: string) => void = () => undefined): boolean {
  let isQuoted = false;
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && character === '\n') return true;
    else if (!isQuoted) see(character);
  }
  return false;
}

async function* parseRecords(
  path: string,
  delimiter: string,
  start: string,
  texts: AsyncIterable<string>,
): AsyncGenerator<CsvRecord> {
  // Where the last record ended, and how many empty lines were before that.
  let [ended, empty] = [0, 0];
  let header: CsvRecord | undefined;
  const place = (fields: readonly string[], { lines, empty_lines: emptyLines }: InfoRecord): CsvRecord => {
    const record = { line: ended + 1 + emptyLines - empty, fields };
    [ended, empty] = [lines, emptyLines];
    header ??= record;
    return record;
  };
  const parser = parse({
    delimiter,
    // `readText` leaves no others, so that the parser counts lines as editors do.
    record_delimiter: '\n',
    relax_column_count: true,
    skip_empty_lines: true,
    on_record: place as unknown as Options['on_record'],
  });
  /** Returns where the record begins that is being parsed. */
  const line = (): number => ended + 1 + parser.info.empty_lines - empty;

  async function* limited(): AsyncGenerator<string> {
    let [records, length] = [0, 0];
    const count = (text: string): string => {
      if (parser.info.records !== records) [records, length] = [parser.info.records, 0];
      length += text.length;
      if (length <= MAX_RECORD) return text;
      throw new SourceError(
        `${path}, line ${line()}: the record that begins here has more than ${grouped(MAX_RECORD)} characters: is a quote not closed?`,
      );
    };
    yield count(start);
    for await (const text of texts) yield count(text);
  }

  // An error of the pipeline destroys the parser, so that the loop below throws it.
  pipeline(limited, parser).catch(() => undefined);
  try {
    for await (const record of parser as AsyncIterable<CsvRecord>) {
      const { fields } = record;
      if (fields.length > MAX_COLUMNS) throw tooMany(path, record);
      if (fields.length !== header?.fields.length) {
        throw new SourceError(
          `${path}, line ${record.line}, has ${counted(fields.length, 'column')}, and the header ${header?.fields.length ?? 0}.`,
        );
      }
      yield record;
    }
  } catch (error) {
    throw explain(error, path, line(), header);
  } finally {
    parser.destroy();
  }
}

const tooMany = (path: string, { line, fields }: CsvRecord): SourceError =>
  new SourceError(
    `${path}, line ${line}, has ${counted(fields.length, 'column')}: at most ${grouped(MAX_COLUMNS)} are read.`,
  );

const REASONS: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE:
    'something follows the closing quote: a quote within a quoted field is written twice',
  INVALID_OPENING_QUOTE: 'a quote is within a field that is not quoted',
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
};

/** Returns an error of the parser as one that names the place. @param line of the record that is being parsed */
function explain(error: unknown, path: string, line: number, header: CsvRecord | undefined): unknown {
  const { code, column } = error as Partial<CsvError>;
  const reason = REASONS[code ?? ''];
  if (reason === undefined) return error;
  const index = Number(column);
  const name = header?.fields[index];
  const place = name === undefined || name === '' ? `column ${index + 1}` : `column ${JSON.stringify(name)}`;
  return new SourceError(`${path}, line ${line}, ${place}: ${reason}.`);
}
