import { createHash } from 'node:crypto';
import { type Table } from '../database/schema/tables';
import { portableRows, type Snapshot } from '../database/snapshot/snapshot';

/** Characters of the lines that are kept at once; the last row may add up to 16 MiB. */
const PART_LENGTH = 4 * 1024 * 1024;
/** Characters of the lines that are kept as strings, which take several times as much memory. */
const ENCODED_LENGTH = 256 * 1024;

/** The lines of several rows, one JSON object each. */
export interface LinesPart {
  lines: Buffer;
  rows: number;
}

/** Digest of a table's lines, which is the same for the same rows elsewhere. */
export interface LinesDigest {
  rows: number;
  sha256: string;
}

/** Yields the rows of a table as lines, in parts of some megabytes. */
export const tableLines = (
  snapshot: Pick<Snapshot, 'stream'>,
  table: Table,
): AsyncGenerator<LinesPart, LinesDigest> => linesOf(portableRows(snapshot, table));

/** Yields objects as lines, in parts of some megabytes. @param onLine gets each line without its end, and its object */
export async function* linesOf<T extends object>(
  values: AsyncIterable<T>,
  onLine?: (line: string, value: T) => void,
): AsyncGenerator<LinesPart, LinesDigest> {
  const hash = createHash('sha256');
  let part: Buffer[] = [];
  let lines: string[] = [];
  const length = { lines: 0, part: 0 };
  const rows = { part: 0, all: 0 };
  const encode = (): void => {
    part.push(Buffer.from(lines.join('')));
    length.part += length.lines;
    lines = [];
    length.lines = 0;
  };
  const cut = (): LinesPart => {
    encode();
    const whole = { lines: Buffer.concat(part), rows: rows.part };
    hash.update(whole.lines);
    part = [];
    length.part = 0;
    rows.part = 0;
    return whole;
  };
  for await (const value of values) {
    const line = JSON.stringify(value);
    rows.part++;
    rows.all++;
    onLine?.(line, value);
    lines.push(`${line}\n`);
    length.lines += line.length + 1;
    if (length.part + length.lines >= PART_LENGTH) yield cut();
    else if (length.lines >= ENCODED_LENGTH) encode();
  }
  if (rows.part > 0) yield cut();
  return { rows: rows.all, sha256: hash.digest('hex') };
}
