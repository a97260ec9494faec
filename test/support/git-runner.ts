import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { type GitOutcome } from './git';

/** A git command of a test. */
export interface GitCommand {
  args: readonly string[];
  cwd?: string;
  env: NodeJS.ProcessEnv;
  /** The standard input, which stays open without it. */
  input?: Buffer;
}

interface Waiting {
  resolve: (outcome: GitOutcome) => void;
  reject: (error: Error) => void;
}

/**
 * The process that runs this worker's git commands, several at once, and ends with the worker. A worker has hundreds of megabytes: each
 * process that it starts itself stops its event loop for milliseconds, and makes it copy every page that it writes next.
 */
let runner: ChildProcess | undefined;
const waiting = new Map<number, Waiting>();
let lastId = 0;

/** Runs git, and returns its outcome even when it fails. */
export function runGit(command: GitCommand): Promise<GitOutcome> {
  runner ??= startRunner();
  const { channel } = runner;
  const id = ++lastId;
  return new Promise<GitOutcome>((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    channel?.ref();
    runner?.send({ id, command }, (error) => error && reject(error));
  }).finally(() => {
    waiting.delete(id);
    if (waiting.size === 0) channel?.unref();
  });
}

function startRunner(): ChildProcess {
  const hook = join(__dirname, 'typescript-hook.cjs');
  const started = spawn(process.execPath, ['--require', hook, join(__dirname, 'children/run-git.ts')], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
    // For bytes.
    serialization: 'advanced',
  });
  started.on('message', ({ id, outcome }: { id: number; outcome: GitOutcome }) =>
    waiting.get(id)?.resolve(outcome),
  );
  started.on('exit', () => {
    if (runner === started) runner = undefined;
    for (const { reject } of waiting.values()) reject(new Error('The process that runs git has ended.'));
  });
  started.unref();
  return started;
}
