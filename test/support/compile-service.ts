import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const SERVICE = join(__dirname, '../../src');

const { compileAhead } = createRequire(__filename)('./typescript-hook.cjs') as {
  compileAhead(files: readonly string[]): Promise<void>;
};

/**
 * Compiles the whole service, on all processors, before the first worker loads it. Threads must find what they load in the cache: the native
 * code of the compiler ends the whole process if a thread is terminated while it compiles.
 */
export const compileService = (): Promise<void> =>
  compileAhead(
    readdirSync(SERVICE, { recursive: true, encoding: 'utf8' })
      .filter((name) => /(?<!\.spec)\.tsx?$/.test(name))
      .map((name) => join(SERVICE, name)),
  );
