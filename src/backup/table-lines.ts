import { createHash } from 'node:crypto';
import { type Table } from '../database/schema/tables';
import { portableRows, type Snapshot } from '../database/snapshot/snapshot';

/** Size of the lines that are kept at once, in bytes; the last row may add up to 16 MiB. */
const PART_BYTES = 4 * 1024 * 1024;

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

/** Yields objects as lines, in parts of some megabytes. */
export async function* linesOf(rows: AsyncIterable<object>): AsyncGenerator<LinesPart, LinesDigest> {
  const hash = createHash('sha256');
  let lines: string[] = [];
  let bytes = 0;
  let count = 0;
  const cut = (): LinesPart => {
    const part = { lines: Buffer.from(lines.join('')), rows: lines.length };
    hash.update(part.lines);
    lines = [];
    bytes = 0;
    return part;
  };
  for await (const row of rows) {
    const line = `${JSON.stringify(row)}\n`;
    lines.push(line);
    bytes += line.length;
    count++;
    if (bytes >= PART_BYTES) yield cut();
  }
  if (lines.length > 0) yield cut();
  return { rows: count, sha256: hash.digest('hex') };
}
