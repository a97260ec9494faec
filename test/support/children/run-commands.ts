import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { runProgram } from '../../../src/cli/program';
import { serviceFile } from '../service-file';

/** A command line and its settings. */
interface CommandLine {
  words: string[];
  settings: Record<string, string>;
}

type Printed = Record<'stdout' | 'stderr', string>;

/**
 * Runs a command line for each line of the standard input, and prints its result as JSON. One process for all of them, because
 * loading takes longer than most commands; one for each with the package in TEST_PACKAGE.
 */
async function runCommands(): Promise<void> {
  const run = process.env.TEST_PACKAGE ? runOfPackage : runHere;
  for await (const line of createInterface(process.stdin)) {
    const { words, settings } = JSON.parse(line) as CommandLine;
    const printed: Printed = { stdout: '', stderr: '' };
    Object.assign(process.env, settings);
    const exitCode = await run(words, printed);
    process.stdout.write(`${JSON.stringify({ exitCode, ...printed })}\n`);
  }
}

/** @returns the exit code */
async function runHere(words: string[], printed: Printed): Promise<number> {
  const release = [capture('stdout', printed), capture('stderr', printed)];
  const exitCode = await runProgram(words);
  for (const giveBack of release) giveBack();
  return exitCode;
}

/** @returns the exit code; null after a signal */
async function runOfPackage(words: string[], printed: Printed): Promise<number | null> {
  const child = spawn(process.execPath, [serviceFile('cli/main'), ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (printed[name] += text));
  }
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return exitCode;
}

/** Captures the output to a stream. @returns a function that stops capturing */
function capture(name: 'stdout' | 'stderr', printed: Printed): () => void {
  const stream = process[name];
  const write = stream.write.bind(stream);
  stream.write = (text: string | Uint8Array): boolean => {
    printed[name] += String(text);
    return true;
  };
  return () => (stream.write = write);
}

void runCommands();
