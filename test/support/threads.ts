import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const HOOK = join(__dirname, 'typescript-hook.cjs');
/** The end of the names of modules that a thread of the service runs. */
const OF_THREADS = '-worker.ts';
const LOAD = 'for (const file of process.argv.slice(1)) require(file); process.exit()';

/**
 * Compiles what the threads of the service load, so that they find it in the cache of `typescript-hook.cjs`. The native code of the compiler
 * ends the whole process if a thread is terminated while it compiles.
 */
export function compileThreads(): void {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(OF_THREADS))
    .map((name) => join(ROOT, 'src', name));
  execFileSync(process.execPath, ['--require', HOOK, '--eval', LOAD, ...files], { stdio: 'inherit' });
}
