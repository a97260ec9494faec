import { createInstrumenter, type InstrumenterOptions } from 'istanbul-lib-instrument';

/** The code whose paths a server can change: locks, retries, leases, and connections to one or several servers. */
const INSTRUMENTED =
  /\/src\/(?:database\/(?:mysql\/|transactions|statements|database-errors|migrate\.|start-with)|.*lease)/;
const OPTIONS: Partial<InstrumenterOptions> = {
  coverageVariable: '__paths__',
  esModules: true,
  compact: false,
  parserPlugins: ['typescript', 'decorators-legacy'],
};

/**
 * Returns the text of a module that counts how often each of its branches and functions runs, for `EngineRecord`. What runs while the
 * module loads does not count, because only the first suite of a worker loads it.
 */
export function withPathCounters(source: string, file: string): string {
  if (!INSTRUMENTED.test(file)) return source;
  const code = createInstrumenter(OPTIONS).instrumentSync(source, file);
  const counters = `globalThis.__paths__[${JSON.stringify(file)}]`;
  return `${code}\nfor (const of of [...Object.values(${counters}.b), ${counters}.f]) for (const key in of) of[key] = 0;`;
}
