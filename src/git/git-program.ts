import { type ChildProcess, spawn } from 'node:child_process';
import { access, constants as fileConstants, lstat } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { dirname, isAbsolute } from 'node:path';
import { type Readable, type Writable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment';
import { ServiceUnavailableError } from '../errors/domain-errors';
import { isMissing } from '../errors/missing-file';
import { loopTurns } from '../event-loop/loop-turns';
import { type GitExit, GitOutputError, GitUnavailableError, isNotRunnable, toGitError } from './git-errors';
import { type GitLimits, LIMITED_ENVIRONMENT, LIMITED_SETTINGS, limitedCommand } from './git-limits';
import { type GitPool, GitPools, NOBODY } from './git-pools';

/** The first version with `git merge-tree --write-tree`. */
const MIN_VERSION = [2, 38] as const;
const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_OUTPUT = 16 * 1024 * 1024;
const MAX_ERROR_TEXT = 4096;
/** Time before a missing git is looked for again, in milliseconds. */
const MISSING_MS = 10_000;
/** Time for git to remove its temporary files after `SIGTERM`, in milliseconds. */
const STOP_MS = 3000;

/** Options of a git process. */
export interface GitOptions {
  /** The folder of a bare repository; undefined = none. */
  repository?: string;
  /** A folder that git takes for the working tree, and runs in. Git reads `.gitattributes` only there. */
  workTree?: string;
  /** The user for whom git works, or `NOBODY`. The processes of a user above the limit wait. */
  userId: number;
  /** The kind of process, whose turn it takes; by default `service` for `NOBODY`, and `reads` for users. */
  pool?: GitPool;
  /** The part of `GIT_MEMORY` that it may use; 1 by default. */
  memoryShare?: number;
  /** Timeout in milliseconds; 30 seconds by default. */
  timeoutMs?: number;
  /** Settings that override those of the repository; several values of a setting are passed in order. */
  config?: Readonly<Record<string, string | readonly string[]>>;
  /** Additional environment variables. */
  env?: Readonly<Record<string, string>>;
  /** Stops git when aborted. */
  signal?: AbortSignal;
  /** Runs git with low CPU priority. */
  isLowPriority?: boolean;
}

/** Options of a git process whose whole output is returned. */
export interface GitRunOptions extends GitOptions {
  /** Standard input of git. */
  input?: string | Buffer;
  /** Maximum output in bytes; 16 MiB by default. */
  maxOutput?: number;
  /** Exit codes other than 0 that are not errors. */
  okCodes?: readonly number[];
}

/** The output of a git process. */
export interface GitResult {
  stdout: Buffer;
  code: number;
  /** The end of its error output, such as warnings. */
  stderr: string;
}

/** A running git process. */
export interface GitChild {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when the process has ended and its output has been closed; never rejects. */
  readonly exited: Promise<GitExit>;
  /** Kills the process and its children immediately: a writing process leaves its locks and temporary files behind. */
  kill(): void;
  /** Terminates them gracefully, so that they remove their locks and temporary files, and kills them after a timeout. */
  stop(): void;
}

/**
 * Runs the installed git, and nothing that a repository could bring along: no configuration of the machine or of its user, no
 * hooks but the service's own, no editors, pagers or prompts, no other protocols. Each process has a deadline and leads its own process
 * group, which is killed with it. The number of processes of each kind is limited, in total and per user, and so are the memory and the
 * CPU time of each process (`docs/decisions/0050-limits-of-git.md`).
 */
@Injectable()
export class GitProgram {
  private readonly pools: GitPools;
  private version?: Promise<string>;
  private readonly children = new Set<GitChild>();

  constructor(private readonly environment: Environment) {
    this.pools = new GitPools(environment);
  }

  /**
   * Returns the version of the installed git, such as `2.39.5`.
   * @throws GitUnavailableError with the reason why no git can be used
   */
  requireVersion(): Promise<string> {
    this.version ??= this.findVersion().catch((error: unknown) => {
      setTimeout(() => (this.version = undefined), MISSING_MS).unref();
      throw error;
    });
    return this.version;
  }

  /** Returns whether a usable git is installed. */
  async isAvailable(): Promise<boolean> {
    try {
      await this.requireVersion();
      return true;
    } catch (error) {
      if (error instanceof GitUnavailableError) return false;
      throw error;
    }
  }

  /** Returns whether the system accepts the limit of memory. Some sandboxes and systems do not. @throws GitUnavailableError without git */
  async hasMemoryLimit(): Promise<boolean> {
    if (this.environment.GIT_MEMORY === 0) return true;
    const ask = ['-c', 'alias.limit=!ulimit -v', 'limit'];
    const { stdout } = await this.run(ask, { userId: NOBODY, okCodes: [1, 127, 128] });
    return /^\d+$/m.test(stdout.toString());
  }

  /**
   * Runs git to completion.
   * @throws GitError when it fails, GitOutputError when it prints too much, NoResourceError when its repository has been removed,
   * GitUnavailableError without git
   */
  async run(args: readonly string[], options: GitRunOptions): Promise<GitResult> {
    const { input = '', maxOutput = DEFAULT_MAX_OUTPUT, okCodes = [] } = options;
    const child = await this.start(args, options);
    const chunks: Buffer[] = [];
    let size = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxOutput) child.kill();
      else chunks.push(chunk);
    });
    child.stdin.end(input);
    const exit = await child.exited;
    const { code } = exit;
    options.signal?.throwIfAborted();
    if (size > maxOutput) throw new GitOutputError(maxOutput);
    // An expected exit code has another cause then.
    if (exit.isGone) throw toGitError(args, exit);
    if (code === null || (code !== 0 && !okCodes.includes(code))) throw toGitError(args, exit);
    return { stdout: Buffer.concat(chunks), code, stderr: exit.stderr };
  }

  /** Runs git and returns its output as text, without the trailing line break. */
  async text(args: readonly string[], options: GitRunOptions): Promise<string> {
    const { stdout } = await this.run(args, options);
    return stdout.toString('utf8').replace(/\n$/, '');
  }

  /**
   * Starts git when a slot is free.
   * @throws GitUnavailableError without git, TooManyRequestsError when too many calls wait, ServiceUnavailableError when there are too
   * many open files
   */
  async start(args: readonly string[], options: GitOptions): Promise<GitChild> {
    await this.requireVersion();
    const { userId, signal, pool = userId === NOBODY ? 'service' : 'reads' } = options;
    const release = await this.pools.take({ pool, userId, signal });
    try {
      // Starting a process takes milliseconds, during which the event loop stands still.
      await loopTurns.pause();
      signal?.throwIfAborted();
      const child = this.spawn(args, options, this.limitsOf(pool, options));
      void child.exited.then((exit) => {
        release();
        // Git has been removed since it was found.
        if (isNotRunnable(exit)) this.version = undefined;
      });
      return child;
    } catch (error) {
      // For example, there is not enough memory for a process.
      release();
      throw error;
    }
  }

  /** Number of running processes. */
  get running(): number {
    return this.children.size;
  }

  /** Stops all processes at shutdown. */
  async stopAll(): Promise<void> {
    const children = [...this.children];
    for (const child of children) child.stop();
    await Promise.all(children.map((child) => child.exited));
  }

  private async findVersion(): Promise<string> {
    const path = this.environment.GIT_PATH;
    await requireExecutable(path);
    // Without a shell, whose error would not say why.
    const child = this.spawn(['--version'], { userId: NOBODY });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.stdin.end();
    const { code, stderr } = await child.exited;
    const [, version = ''] = /^git version (\d+\.\d+[^\s]*)/.exec(text) ?? [];
    if (code !== 0 || version === '') throw notRunnable(path, stderr.trim());
    const [major = 0, minor = 0] = version.split('.').map(Number);
    const [minMajor, minMinor] = MIN_VERSION;
    if (major < minMajor || (major === minMajor && minor < minMinor))
      throw new GitUnavailableError(
        `git ${version} is too old: ${MIN_VERSION.join('.')} or later is required`,
      );
    return version;
  }

  /** A process of the service itself may use its whole time, because no user chooses its input. */
  private limitsOf(
    pool: GitPool,
    { timeoutMs = DEFAULT_TIMEOUT_MS, memoryShare = 1 }: GitOptions,
  ): GitLimits {
    const { GIT_MEMORY, GIT_CPU_TIME } = this.environment;
    const seconds = Math.max(1, Math.ceil(timeoutMs / 1000));
    return {
      memory: GIT_MEMORY * memoryShare,
      cpuSeconds: pool === 'service' ? seconds : Math.min(seconds, GIT_CPU_TIME),
    };
  }

  private spawn(args: readonly string[], options: GitOptions, limits?: GitLimits): GitChild {
    const { repository, timeoutMs = DEFAULT_TIMEOUT_MS, config = {}, env = {}, signal } = options;
    const settings = { ...SETTINGS, ...LIMITED_SETTINGS, ...config };
    const path = this.environment.GIT_PATH;
    const all = [
      ...(repository === undefined ? [] : [`--git-dir=${repository}`]),
      ...Object.entries(settings).flatMap(([name, values]) =>
        [values].flat().flatMap((value) => ['-c', `${name}=${value}`]),
      ),
      ...args,
    ];
    const started = limits ? limitedCommand(path, all, limits) : { command: path, args: all };
    const command = spawn(started.command, started.args, {
      cwd: options.workTree ?? repository ?? '/',
      env: { ...environmentOf(options), ...LIMITED_ENVIRONMENT, PATH: this.environment.searchPath, ...env },
      detached: true,
    });
    requirePipes(command);
    if (options.isLowPriority) lowerPriority(command);
    const child = watch(command, { repository, timeoutMs, signal });
    this.children.add(child);
    void child.exited.then(() => this.children.delete(child));
    return child;
  }
}

/**
 * Saves starting a process, which takes milliseconds even if there is no such program.
 * @throws GitUnavailableError when there is none at an absolute path
 */
async function requireExecutable(path: string): Promise<void> {
  if (!isAbsolute(path)) return;
  try {
    await access(path, fileConstants.X_OK);
  } catch (error) {
    throw notRunnable(path, (error as Error).message);
  }
}

const notRunnable = (path: string, reason: string): GitUnavailableError =>
  new GitUnavailableError(`GIT_PATH is ${path}, which cannot be run: ${reason}`);

/** Settings of every process. They override those of a repository. */
const SETTINGS: Readonly<Record<string, string>> = {
  'safe.directory': '*',
  'safe.bareRepository': 'all',
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.alternateRefsCommand': 'true',
  'core.pager': 'cat',
  'core.attributesFile': '/dev/null',
  'core.excludesFile': '/dev/null',
  'core.quotePath': 'false',
  'core.symlinks': 'false',
  // What git has acknowledged outlives a power failure. Git never syncs folders: see `syncRefs` and `syncObjects`.
  'core.fsync': 'committed,loose-object,reference',
  'core.fsyncMethod': 'fsync',
  'diff.external': '',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'protocol.allow': 'never',
};

/** The environment of every process. It contains nothing of the service's own environment, which has secrets. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  HOME: '/nonexistent',
  LC_ALL: 'C.UTF-8',
  TZ: 'UTC',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '/bin/false',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_PAGER: 'cat',
};

const environmentOf = ({ workTree }: GitOptions): Readonly<Record<string, string>> =>
  workTree === undefined ? ENVIRONMENT : { ...ENVIRONMENT, GIT_WORK_TREE: workTree };

/**
 * The environment of processes that read objects made by users: a few bytes can expand to any number of them, as in a compressed file of
 * zeros, or a delta that copies its base repeatedly. Git exits rather than hold more than this of one object in memory; larger files are
 * streamed. The limit exceeds the largest file for which git computes a delta before it sends it (512 MiB).
 */
export const LIMITED_MEMORY: Readonly<Record<string, string>> = { GIT_ALLOC_LIMIT: '640m' };

function lowerPriority({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // The process has already exited.
  }
}

/**
 * Node creates no pipes when the limit of open files is reached, and emits the error later, when it would have no listener.
 * @throws ServiceUnavailableError
 */
function requirePipes(command: ChildProcess): void {
  // They are undefined rather than null, contrary to their types.
  if (command.stdin && command.stdout && command.stderr) return;
  command.once('error', () => undefined);
  throw new ServiceUnavailableError(new Error('There are too many open files to run git.'));
}

function watch(
  command: ChildProcess,
  { repository, timeoutMs, signal }: Pick<GitOptions, 'repository' | 'signal'> & { timeoutMs: number },
): GitChild {
  const { stdin, stdout, stderr, pid } = command as ChildProcess & {
    stdin: Writable;
    stdout: Readable;
    stderr: Readable;
  };
  let text = '';
  stderr.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString('utf8')).slice(-MAX_ERROR_TEXT);
  });
  // A process that has exited does not read its remaining input.
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => undefined);
  const signalGroup = (name: NodeJS.Signals): void => {
    if (pid === undefined) return;
    try {
      process.kill(-pid, name);
    } catch {
      // The process group has already exited.
    }
  };
  const kill = (): void => {
    signalGroup('SIGKILL');
    // A process that inherited the output must not delay the exit.
    stdout.destroy();
    stderr.destroy();
  };
  let stopping: NodeJS.Timeout | undefined;
  const stop = (): void => {
    if (stopping) return;
    stopping = setTimeout(kill, STOP_MS);
    signalGroup('SIGTERM');
    stdout.destroy();
    stderr.destroy();
  };
  const timer = setTimeout(stop, timeoutMs);
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  const ended = new Promise<Omit<GitExit, 'isGone'>>((resolve) => {
    command.once('error', (error) => {
      text += error.message;
      if (pid === undefined) resolve({ code: null, signal: null, stderr: text });
    });
    command.once('close', (code, killedBy) => resolve({ code, signal: killedBy, stderr: text }));
  }).finally(() => {
    clearTimeout(timer);
    clearTimeout(stopping);
    signal?.removeEventListener('abort', stop);
  });
  const exited = ended.then(async (exit) => ({
    ...exit,
    isGone: exit.code !== 0 && repository !== undefined && (await isRemoved(repository)),
  }));
  return { stdin, stdout, exited, kill, stop };
}

/**
 * Returns whether the folder of a repository has been removed, and with it what git needs. If the folder above it is missing too, all
 * repositories are, such as those of a volume that is not mounted.
 */
export const isRemoved = async (repository: string): Promise<boolean> =>
  !(await exists(repository)) && (await exists(dirname(repository)));

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    return !isMissing(error);
  }
}
