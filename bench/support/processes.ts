import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port';
import { type Workspace } from './workspace';

/** The folder of an unpacked package, which is measured instead of the build. */
const { BENCH_PACKAGE } = process.env;
/** Relative to this folder, so that a build in another place runs its own service. */
const BUILT = BENCH_PACKAGE ? join(BENCH_PACKAGE, 'dist/src') : join(__dirname, '../../src');
const COMMANDS = join(BUILT, 'cli/main.js');
const SERVICE = BENCH_PACKAGE ? COMMANDS : join(BUILT, 'main.js');
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;
const POLL_MS = 5;

export const ADMIN_KEY = 'benchmark-key-of-the-administrator-0123456789';
export const BASE_PATH = '/api/v2';
const ENCRYPTION_KEY = randomBytes(32).toString('base64');

/** More per minute than any load reaches, so that requests are counted as in production, and none is refused. */
const UNREACHED = '10000000';

/** Returns the folder in which the service keeps the repositories of a workspace. */
export const gitRootOf = (folder: string): string => join(folder, 'git');

/** Returns the service's settings, for the measured process and for the seeding one. */
export const serviceEnvironment = (databaseUrl: string, folder: string): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  STORAGE_URL: `file:${join(folder, 'files')}`,
  GIT_ROOT: gitRootOf(folder),
  ADMIN_API_KEY: ADMIN_KEY,
  ENCRYPTION_KEY,
  DEMO_DATA: 'false',
  LOG_LEVEL: 'warn',
  BASE_PATH,
  RATE_LIMIT: process.env.BENCH_RATE_LIMIT ?? 'on',
  RATE_LIMIT_READ: UNREACHED,
  RATE_LIMIT_UPDATE: UNREACHED,
  RATE_LIMIT_SEARCH: UNREACHED,
});

/** A server in a separate process. */
export interface Server {
  /** Without a path. */
  origin: string;
  pid: number;
  /** Time from the spawn to the first successful readiness response, in milliseconds. */
  startTime: number;
  stop: () => Promise<void>;
  /** Ends the process with SIGKILL. */
  kill: () => Promise<void>;
}

/** The process of a server, ready or not. */
export interface LaunchedServer extends Omit<Server, 'startTime'> {
  /** Resolves with the server's `startTime`; rejects when the process ends first. */
  ready: Promise<number>;
}

/** Starts the service as in production. */
export async function startService(
  workspace: Workspace,
  databaseUrl: string,
  settings: Record<string, string> = {},
): Promise<Server> {
  return started(launchService(workspace, databaseUrl, await freePort(), settings));
}

/** Starts the service on a port without waiting for it. */
export function launchService(
  workspace: Workspace,
  databaseUrl: string,
  port: number,
  settings: Record<string, string>,
): LaunchedServer {
  const environment = { ...serviceEnvironment(databaseUrl, workspace.folder), ...settings };
  return launch(workspace, SERVICE, port, environment);
}

/**
 * Starts any other server on a free port, and waits until it is ready.
 * @param script serves on `PORT`, and responds to `/health/ready`
 */
export async function startServer(
  workspace: Workspace,
  script: string,
  environment: Record<string, string>,
): Promise<Server> {
  return started(launch(workspace, script, await freePort(), environment));
}

/** Runs a command of the service in a separate process, as an operator does. */
export async function runCommand(
  workspace: Workspace,
  databaseUrl: string,
  ...line: readonly string[]
): Promise<void> {
  const { exited, output } = launchCommand(
    workspace,
    serviceEnvironment(databaseUrl, workspace.folder),
    ...line,
  );
  const code = await exited;
  if (code !== 0) throw new Error(`pms ${line.join(' ')} has ended with ${code}: ${output()}`);
}

/** The process of a command. */
export interface LaunchedCommand {
  pid: number;
  /** Resolves with the exit code; null after a signal. */
  exited: Promise<number | null>;
  /** Returns what it has printed so far. */
  output: () => string;
  kill: () => void;
}

/** Starts a command of the service with these settings, without waiting for it. */
export function launchCommand(
  workspace: Workspace,
  environment: Record<string, string>,
  ...line: readonly string[]
): LaunchedCommand {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', COMMANDS, ...line], {
    ...processOptions(workspace, environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  workspace.defer(() => endProcess(child, 'SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => (output += data.toString()));
  const exited = once(child, 'close').then(([code]) => code as number | null);
  return { pid: child.pid as number, exited, output: () => output, kill: () => void child.kill('SIGKILL') };
}

/** Resident memory in MiB; undefined where the system does not report it. */
export async function residentMemory(pid: number): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) / 1024;
}

function launch(
  workspace: Workspace,
  script: string,
  port: number,
  environment: Record<string, string>,
): LaunchedServer {
  const began = performance.now();
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', script],
    processOptions(workspace, { PORT: String(port), ...environment }),
  );
  const stop = (): Promise<void> => endProcess(child, 'SIGTERM');
  workspace.defer(stop);
  const origin = `http://127.0.0.1:${port}`;
  const ready = waitUntilReady(child, `${origin}/health/ready`, script).then(() => performance.now() - began);
  // A caller that awaits it sees the error; a process that is killed early may have no such caller.
  ready.catch(() => undefined);
  return { origin, pid: child.pid as number, ready, stop, kill: () => endProcess(child, 'SIGKILL') };
}

const processOptions = (workspace: Workspace, environment: Record<string, string>): SpawnOptions => ({
  // A folder without a `.env` file.
  cwd: workspace.folder,
  env: { PATH: process.env.PATH, NODE_ENV: 'production', ...environment },
  stdio: ['ignore', 'ignore', 'inherit'],
});

async function started({ ready, ...server }: LaunchedServer): Promise<Server> {
  return { ...server, startTime: await ready };
}

async function waitUntilReady(child: ChildProcess, url: string, script: string): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline) {
    if (hasEnded(child))
      throw new Error(`${script} has ended with ${child.exitCode ?? child.signalCode ?? 'nothing'}.`);
    if (await answers(url)) return;
    await sleep(POLL_MS);
  }
  throw new Error(`${script} was not ready within ${START_TIMEOUT_MS} ms.`);
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

async function endProcess(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;
