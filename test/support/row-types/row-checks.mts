import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Plugin } from 'vitest/config';
import { type RowCall } from './shapes.ts';
import { type StatedRows } from './stated-rows.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** Kept between runs, and read by the workers. */
const STATED_ROWS = join(ROOT, 'node_modules/.cache/stated-rows.json');
const SCRIPT = join(ROOT, 'scripts/row-calls.mjs');
const MAX_OUTPUT = 64 * 1024 ** 2;

/** Finds the calls that state the type of rows, for the workers and for `check-rows.ts`. */
export const rowChecks = (): Plugin => ({
  name: 'row-checks',
  configureVitest({ project }) {
    const { files } = findStatedRows();
    process.env.TEST_STATED_ROWS = STATED_ROWS;
    project.provide(
      'rowCalls',
      Object.values(files).flatMap(({ calls }) => calls),
    );
  },
});

/** Returns the calls, from the run before if no file has changed since: the compiler takes some seconds. */
function findStatedRows(): StatedRows {
  const key = keyOf([SCRIPT, ...sourcesIn(join(ROOT, 'src'))]);
  const kept = keptRows();
  if (kept?.key === key) return kept;
  const output = execFileSync(process.execPath, [SCRIPT], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT,
  });
  const files = Object.fromEntries(
    Object.entries(JSON.parse(output) as Record<string, RowCall[]>).map(([path, calls]) => [
      path,
      { sha256: sha256Of(join(ROOT, path)), calls },
    ]),
  );
  mkdirSync(dirname(STATED_ROWS), { recursive: true });
  writeFileSync(STATED_ROWS, JSON.stringify({ key, files }));
  return { key, files };
}

const sha256Of = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

const sourcesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?<!\.spec)\.ts$/.test(path))
    .sort()
    .map((path) => join(folder, path));

function keyOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

function keptRows(): StatedRows | undefined {
  try {
    return JSON.parse(readFileSync(STATED_ROWS, 'utf8')) as StatedRows;
  } catch {
    return undefined;
  }
}
