import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { VERSION } from '../config/version';
import type * as failure from './failure';
import { COMMANDS } from './registry';

/** Exit codes of the program; a running service ends with its own (`process-end.ts`). */
const EXIT = { done: 0, failed: 1, usage: 2 } as const;

const EPILOG = `
Settings are environment variables, or lines of the file .env in the working folder.
Exit codes: 0 done, 1 failed, 2 wrong usage.`;

/**
 * Runs a command line.
 * @param words arguments after the program's name
 * @returns the exit code
 */
export async function runProgram(words: readonly string[]): Promise<number> {
  const line = words.length === 0 ? ['serve'] : [...words];
  const program = createProgram(line.find((word) => !word.startsWith('-') && word !== 'help'));
  try {
    await program.parseAsync(line, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const { explainFailure } = createRequire(__filename)('./failure') as typeof failure;
    for (const explanation of explainFailure(error, line[0] ?? '')) process.stderr.write(`${explanation}\n`);
    return EXIT.failed;
  }
}

/** @param called the command to load; the others have only a description */
function createProgram(called: string | undefined): Command {
  const program = new Command('pms')
    .description('Run and administer the project management service.')
    .version(VERSION)
    .addHelpText('after', EPILOG)
    .exitOverride();
  for (const { name, description, load } of COMMANDS) {
    const command = program.command(name).description(description);
    if (name === called) load().configure(command);
  }
  return program;
}
