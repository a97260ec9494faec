import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type RowCall } from './shapes';

const ROOT = join(__dirname, '../../..');

/** The calls that state the type of rows, which a run finds before its workers start (`row-checks.mts`). */
export interface StatedRows {
  /** Changes with any source. */
  key: string;
  /** By the path from the root. */
  files: Readonly<Record<string, { sha256: string; calls: readonly RowCall[] }>>;
}

let rows: StatedRows | undefined;

/** Returns the text of a module that hands what each such call returns to `check-rows.ts`. The lines stay the same. */
export function withRowChecks(source: string, file: string): string {
  rows ??= JSON.parse(readFileSync(process.env.TEST_STATED_ROWS ?? '', 'utf8')) as StatedRows;
  const stated = rows.files[relative(ROOT, file)];
  // In watch mode, the calls of a file that was edited are no longer known.
  if (stated?.sha256 !== createHash('sha256').update(source).digest('hex')) return source;
  return stated.calls
    .flatMap(({ place, start, end }) => [
      { at: start, text: `globalThis.__rows__('${place}', ` },
      { at: end, text: ')' },
    ])
    .sort((one, other) => other.at - one.at)
    .reduce((text, { at, text: added }) => text.slice(0, at) + added + text.slice(at), source);
}
