#!/usr/bin/env node
import { runProgram } from './program';

const words = process.argv.slice(2);
if (words.length > 0 && words[0] !== 'serve') {
  // Whoever reads the output of a command may stop early, as `head` does. A service ends in order instead.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
}
void runProgram(words).then((exitCode) => (process.exitCode = exitCode));
