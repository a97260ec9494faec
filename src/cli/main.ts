#!/usr/bin/env node
import { limitHeapGrowth } from '../heap-growth';
import { keepFilesPrivate } from '../private-files';
import { keepCompiledCode } from './compiled-code';

keepFilesPrivate();
keepCompiledCode();
limitHeapGrowth();

const words = process.argv.slice(2);
if (words.length > 0 && words[0] !== 'serve') {
  // The reader of a command's output may stop early, as `head` does. A service shuts down cleanly instead.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
}
/**
 * Resolves when the command has ended, for tests that load this module instead of starting it. The program is loaded here, because what is
 * imported above would be compiled first.
 */
export const ended: Promise<unknown> = import('./program.ts')
  .then(({ runProgram }) => runProgram(words))
  .then((exitCode) => (process.exitCode = exitCode));
