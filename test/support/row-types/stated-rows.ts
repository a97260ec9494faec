import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type RowCall } from './shapes';

const ROOT = join(__dirname, '../../..');

/** Where a run keeps the calls that state the type of rows, which its workers read. */
export const STATED_ROWS = join(ROOT, 'node_modules/.cache/stated-rows.json');

export interface StatedRows {
  /** Changes with any source. */
  key: string;
  /** By the path from the root. */
  files: Readonly<Record<string, { hash: string; calls: readonly RowCall[] }>>;
}

export const hashOf = (source: string): string => createHash('sha256').update(source).digest('hex');

export const readStatedRows = (): StatedRows => JSON.parse(readFileSync(STATED_ROWS, 'utf8')) as StatedRows;

let rows: StatedRows | undefined;

/** Returns the text of a module that hands what each such call returns to `check-rows.ts`. The lines stay the same. */
export function withRowChecks(source: string, file: string): string {
  rows ??= readStatedRows();
  const stated = rows.files[relative(ROOT, file)];
  // In watch mode, the calls of a file that was edited are no longer known.
  if (stated?.hash !== hashOf(source)) return source;
  return stated.calls
    .flatMap(({ place, start, end }) => [
      { at: start, text: `globalThis.__rows__('${place}', ` },
      { at: end, text: ')' },
    ])
    .sort((one, other) => other.at - one.at)
    .reduce((text, { at, text: added }) => text.slice(0, at) + added + text.slice(at), source);
}
