import { createInterface } from 'node:readline';
import { runProgram } from '../../../src/cli/program';

/** A command line, with the settings that it runs with. */
interface CommandLine {
  words: string[];
  settings: Record<string, string>;
}

/** Runs a command line for each line of the standard input, and prints what came of it as JSON: loading takes longer than most. */
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

/** Takes what is written to a stream. @returns lets it pass again */
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
