import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type Plugin } from 'vitest/config';
import { type RowCall } from './shapes.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SCRIPT = join(ROOT, 'scripts/row-calls.mjs');
const CACHE = join(ROOT, 'node_modules/.cache/row-calls.json');
const MAX_OUTPUT = 64 * 1024 ** 2;

/** The calls of each file, by its path from the root. */
type Calls = Readonly<Record<string, readonly RowCall[]>>;

/** Hands what each call returns that states the type of rows to `check-rows.ts`, which compares it with the type. */
export function rowChecks(): Plugin {
  let calls: Calls = {};
  const texts = new Map<string, string>();
  const callsIn = (path: string): readonly RowCall[] => calls[path] ?? [];
  return {
    name: 'row-checks',
    enforce: 'pre',
    configureVitest({ project, experimental_defineCacheKeyGenerator: defineKey }) {
      calls = readCalls();
      project.provide('rowCalls', Object.values(calls).flat());
      for (const path in calls) texts.set(path, readFileSync(join(ROOT, path), 'utf8'));
      defineKey(({ id }) => JSON.stringify(callsIn(pathOf(id))));
      // The global setup also loads the service, in this process.
      globalThis.__rows__ = (_, result) => result;
    },
    transform(source, id) {
      const path = pathOf(id);
      // In watch mode, the calls of a file that was edited are no longer known.
      if (texts.get(path) !== source) return undefined;
      const edits = callsIn(path)
        .flatMap(({ place, start, end }) => [
          { at: start, text: `globalThis.__rows__('${place}', ` },
          { at: end, text: ')' },
        ])
        .sort((one, other) => other.at - one.at);
      const code = edits.reduce(
        (text, { at, text: added }) => text.slice(0, at) + added + text.slice(at),
        source,
      );
      // The lines stay the same.
      return { code, map: null };
    },
  };
}

const pathOf = (id: string): string => relative(ROOT, id.split('?', 1)[0] ?? '');

/** Returns the calls, from the run before if no file has changed since: the compiler takes some seconds. */
function readCalls(): Calls {
  const key = keyOf([SCRIPT, ...sourcesIn(join(ROOT, 'src'))]);
  const kept = keptCalls();
  if (kept?.key === key) return kept.calls;
  const output = execFileSync(process.execPath, [SCRIPT], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT,
  });
  const calls = JSON.parse(output) as Calls;
  mkdirSync(dirname(CACHE), { recursive: true });
  writeFileSync(CACHE, JSON.stringify({ key, calls }));
  return calls;
}

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

function keptCalls(): { key: string; calls: Calls } | undefined {
  try {
    return JSON.parse(readFileSync(CACHE, 'utf8')) as { key: string; calls: Calls };
  } catch {
    return undefined;
  }
}
