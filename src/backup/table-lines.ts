import { createHash } from 'node:crypto';
import { type Table } from '../database/schema/tables';
import { portableRows, type Snapshot } from '../database/snapshot/snapshot';

/** How many bytes of lines are kept at once; a row is at most 16 MiB more. */
const PART_BYTES = 4 * 1024 * 1024;

/** The lines of many rows, a JSON object each. */
export interface LinesPart {
  lines: Buffer;
  rows: number;
}

/** What the lines of a table have in common with those of the same table elsewhere. */
export interface LinesDigest {
  rows: number;
  sha256: string;
}

/** The rows of a table as lines, in parts of some megabytes. */
export async function* tableLines(
  snapshot: Pick<Snapshot, 'stream'>,
  table: Table,
): AsyncGenerator<LinesPart, LinesDigest> {
  const hash = createHash('sha256');
  let lines: string[] = [];
  let bytes = 0;
  let rows = 0;
  const cut = (): LinesPart => {
    const part = { lines: Buffer.from(lines.join('')), rows: lines.length };
    hash.update(part.lines);
    lines = [];
    bytes = 0;
    return part;
  };
  for await (const row of portableRows(snapshot, table)) {
    const line = `${JSON.stringify(row)}\n`;
    lines.push(line);
    bytes += line.length;
    rows++;
    if (bytes >= PART_BYTES) yield cut();
  }
  if (lines.length > 0) yield cut();
  return { rows, sha256: hash.digest('hex') };
}
