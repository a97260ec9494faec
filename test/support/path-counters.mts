import { createInstrumenter, type InstrumenterOptions } from 'istanbul-lib-instrument';
import { type Plugin } from 'vitest/config';

/** The code whose paths a server can change: locks, retries, leases, and connections to one or several servers. */
const INSTRUMENTED =
  /\/src\/(?:database\/(?:mysql\/|transactions|statements|database-errors|migrate\.|start-with)|.*lease)/;
const OPTIONS: Partial<InstrumenterOptions> = {
  coverageVariable: '__paths__',
  esModules: true,
  compact: false,
  parserPlugins: ['typescript', 'decorators-legacy'],
};

const fileOf = (id: string): string => id.split('?', 1)[0] ?? '';

const isInstrumented = (file: string): boolean => INSTRUMENTED.test(file) && !file.endsWith('.spec.ts');

/**
 * Counts how often each branch and each function of that code runs, for `EngineRecord`. What runs while a module loads does not count,
 * because only the first suite of a worker loads it.
 */
export const pathCounters = (): Plugin => ({
  name: 'path-counters',
  enforce: 'pre',
  // The cache of compiled modules also has this code without counters, from runs that record nothing.
  configureVitest: ({ experimental_defineCacheKeyGenerator: defineKey }) =>
    defineKey(({ id }) => (isInstrumented(fileOf(id)) ? 'path-counters' : undefined)),
  transform(source, id) {
    const file = fileOf(id);
    if (!isInstrumented(file)) return undefined;
    const code = createInstrumenter(OPTIONS).instrumentSync(source, file);
    const counters = `globalThis.__paths__[${JSON.stringify(file)}]`;
    const reset = `for (const of of [...Object.values(${counters}.b), ${counters}.f]) for (const key in of) of[key] = 0;`;
    return { code: `${code}\n${reset}`, map: null };
  },
});
