import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as main from '../../../src/cli/main';
import { serviceFile } from '../service-file';
import { isWhole } from '../thoroughness';

/** A command line and its settings. */
interface CommandLine {
  words: string[];
  settings: Record<string, string>;
}

type Printed = Record<'stdout' | 'stderr', string>;

const MAIN = serviceFile('cli/main');
const load = createRequire(__filename);
/** The variables that every command finds besides its settings. */
const ENVIRONMENT = { ...process.env };
/** How long a command may take to end after its result. */
const END_MS = 20_000;

/** The usual umask, which the program has to narrow itself. */
const USUAL_UMASK = 0o022;

/** The commands that have run as processes. */
const started = new Set<string>();

/**
 * Runs a command line for each line of the standard input, and prints its result as JSON. With the package in TEST_PACKAGE, the first call
 * of each command and subcommand is a process, as users start it, and in a whole run each call. All others run in this process, because
 * loading takes longer than most commands.
 */
async function runCommands(): Promise<void> {
  for await (const line of createInterface(process.stdin)) {
    const { words, settings } = JSON.parse(line) as CommandLine;
    const printed: Printed = { stdout: '', stderr: '' };
    const exitCode = await (isProcess(words) ? runAsProcess : runHere)(words, settings, printed);
    process.stdout.write(`${JSON.stringify({ exitCode, ...printed })}\n`);
  }
}

function isProcess(words: readonly string[]): boolean {
  if (!process.env.TEST_PACKAGE) return false;
  const [command = '', subcommand = ''] = words;
  const name = `${command} ${/^[a-z]+(-[a-z]+)*$/.test(subcommand) ? subcommand : ''}`;
  if (!isWhole && started.has(name)) return false;
  started.add(name);
  return true;
}

/** @returns the exit code; null after a signal */
async function runAsProcess(
  words: string[],
  settings: Record<string, string>,
  printed: Printed,
): Promise<number | null> {
  const child = spawn(process.execPath, [MAIN, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...ENVIRONMENT, ...settings },
  });
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (printed[name] += text));
  }
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return exitCode;
}

/**
 * Loads the program's own module anew; what that imports stays loaded. Afterwards nothing of the call may remain that affects the next,
 * or that would keep a process of its own from ending.
 * @returns the exit code
 */
async function runHere(
  words: string[],
  settings: Record<string, string>,
  printed: Printed,
): Promise<typeof process.exitCode> {
  const umask = process.umask(USUAL_UMASK);
  const release = [keepListeners(), capture('stdout', printed), capture('stderr', printed)];
  // The streams count as open once something has used them.
  const open = openResources();
  Object.assign(process.env, settings);
  process.argv.splice(2, process.argv.length, ...words);
  Reflect.deleteProperty(load.cache, load.resolve(MAIN));
  await (load(MAIN) as typeof main).ended;
  await untilClosed(open, words);
  for (const giveBack of release) giveBack();
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, ENVIRONMENT);
  process.umask(umask);
  const { exitCode } = process;
  process.exitCode = undefined;
  return exitCode;
}

/** What keeps this process from ending: how many of each kind. */
function openResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** Waits until a call has closed all that it opened. @throws Error if it does not, so that its process would not end */
async function untilClosed(before: ReadonlyMap<string, number>, words: string[]): Promise<void> {
  for (const deadline = performance.now() + END_MS; ;) {
    const left = [...openResources()].filter(([kind, count]) => count > (before.get(kind) ?? 0));
    if (left.length === 0) return;
    if (performance.now() > deadline) {
      throw new Error(`pms ${words.join(' ')} leaves open: ${left.map(([kind]) => kind).join(', ')}`);
    }
    await sleep(2);
  }
}

/** @returns a function that removes the listeners to signals and streams that were added since, which would end with a process */
function keepListeners(): () => void {
  const kept = [process, process.stdout, process.stderr].flatMap((emitter: NodeJS.EventEmitter) =>
    ['SIGINT', 'SIGTERM', 'error'].map((event) => ({ emitter, event, before: emitter.rawListeners(event) })),
  );
  return () => {
    for (const { emitter, event, before } of kept) {
      for (const listener of emitter.rawListeners(event)) {
        if (!before.includes(listener)) emitter.off(event, listener as () => void);
      }
    }
  };
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
