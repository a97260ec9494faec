import { createInterface } from 'node:readline';
import { runProgram } from '../../../src/cli/program';

/** A command line and its settings. */
interface CommandLine {
  words: string[];
  settings: Record<string, string>;
}

/**
 * Runs a command line for each line of the standard input, and prints its result as JSON. One process for all of them, because
 * loading takes longer than most commands.
 */
async function runCommands(): Promise<void> {
  for await (const line of createInterface(process.stdin)) {
    const { words, settings } = JSON.parse(line) as CommandLine;
    const printed = { stdout: '', stderr: '' };
    const release = [capture('stdout', printed), capture('stderr', printed)];
    Object.assign(process.env, settings);
    const exitCode = await runProgram(words);
    for (const giveBack of release) giveBack();
    process.stdout.write(`${JSON.stringify({ exitCode, ...printed })}\n`);
  }
}

/** Captures the output to a stream. @returns a function that stops capturing */
function capture(name: 'stdout' | 'stderr', printed: Record<typeof name, string>): () => void {
  const stream = process[name];
  const write = stream.write.bind(stream);
  stream.write = (text: string | Uint8Array): boolean => {
    printed[name] += String(text);
    return true;
  };
  return () => (stream.write = write);
}

void runCommands();
