import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { VERSION } from '../config/version';
import { type CommandCall, CommandError, type CommandHost, EXIT, ExecutedByServiceError } from './command';
import type * as failure from './failure';
import { type Output, PROCESS_OUTPUT } from './output';
import { COMMANDS } from './registry';

const EPILOG = `
Settings are environment variables, or lines of the file .env in the working folder.
Exit codes: 0 success, 1 failure, 2 usage error; pms import also 3: imported, but the source has changed meanwhile.`;

/**
 * Runs a command line in this process.
 * @param words arguments after the program's name
 * @returns the exit code
 */
export function runProgram(words: readonly string[]): Promise<number> {
  return run({ words: words.length === 0 ? ['serve'] : words, output: PROCESS_OUTPUT });
}

/**
 * Runs the command line of another process with the services of a running one.
 * @returns the exit code
 */
export async function runForClient(
  words: readonly string[],
  output: Output,
  host: CommandHost,
): Promise<number> {
  if (COMMANDS.some(({ name, isHosted }) => isHosted && name === words[0])) {
    return run({ words, output, host });
  }
  output.note('The running service does not execute this command.');
  return EXIT.failed;
}

async function run(call: CommandCall): Promise<number> {
  const { words, output } = call;
  try {
    await createProgram(call).parseAsync([...words], { from: 'user' });
    return EXIT.done;
  } catch (error) {
    if (error instanceof ExecutedByServiceError) return error.exitCode;
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const { explainFailure } = createRequire(__filename)('./failure') as typeof failure;
    for (const explanation of explainFailure(error, words[0] ?? '')) output.note(explanation);
    return error instanceof CommandError ? error.exitCode : EXIT.failed;
  }
}

function createProgram(call: CommandCall): Command {
  // Only the called command is loaded; the others have only a description.
  const called = call.words.find((word) => !word.startsWith('-') && word !== 'help');
  const { out, error } = call.output.streams;
  const program = new Command('pms')
    .description('Run and administer the project management service.')
    .version(VERSION)
    .addHelpText('after', EPILOG)
    .configureOutput({ writeOut: out, writeErr: error })
    .exitOverride();
  for (const { name, description, isInternal, load } of COMMANDS) {
    const command = program.command(name, { hidden: isInternal }).description(description);
    if (name === called) load().configure(command, call);
  }
  return program;
}
