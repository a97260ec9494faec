import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../config/version';

/** Missing in Node 20. */
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };

/**
 * Keeps the compiled code of what the installed package loads from now on, which makes each further start faster: in the folder of
 * NODE_COMPILE_CACHE, or in that of the package if it may be written. Never in a folder for everybody's temporary files, because whoever
 * can write there could change what runs. Node writes it when the process ends, and ignores what is damaged.
 */
export function keepCompiledCode(): void {
  // In a clone, this would write thousands of files, which are not faster to find than to compile.
  if (existsSync(join(PACKAGE_FOLDER, 'src'))) return;
  enableCompileCache?.(join(PACKAGE_FOLDER, 'node_modules', '.cache', 'compiled'));
}
