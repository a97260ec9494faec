import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readEnvironment } from '../../src/config/environment';
import { GitProgram } from '../../src/git/git-program';
import { GitStore } from '../../src/git/git-store';
import { ADMIN_KEY, gitRootOf } from './processes';
import { type Workspace } from './workspace';

/** The outcome of a git command. */
export interface GitOutcome {
  /** Null when the process was ended by a signal. */
  code: number | null;
  stdout: string;
  stderr: string;
}

const TIMEOUT_MS = 5 * 60_000;
const MAX_OUTPUT = 64 * 1024 * 1024;
const USER_ID = 'admin';

/** The environment of a user of git, without this machine's configuration; fixed times make the commits reproducible. */
const PERSON: Record<string, string | undefined> = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  LC_ALL: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_AUTHOR_DATE: '1767225600 +0000',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
  GIT_COMMITTER_DATE: '1767225600 +0000',
};

/** Returns whether git is installed on this machine. */
export const hasGit = (): boolean => spawnSync('git', ['--version']).status === 0;

/** Returns the installed git with its version: `git 2.39.5`. */
export const describeGit = (): string =>
  spawnSync('git', ['--version'], { encoding: 'utf8' }).stdout.trim().replace('git version', 'git');

/** Returns the URL of a repository with the administrator's credentials, as for `git clone`. */
export function cloneAddress(origin: string, projectKey: string, repository: string): string {
  const url = new URL(`/git/${projectKey}/${repository}.git`, origin);
  url.username = USER_ID;
  url.password = ADMIN_KEY;
  return url.toString();
}

/** Returns the URL without credentials, and the arguments that make git send them with the first request. */
export function addressAndLogin(
  origin: string,
  projectKey: string,
  repository: string,
): { address: string; login: string[] } {
  const url = new URL(cloneAddress(origin, projectKey, repository));
  const credentials = Buffer.from(`${url.username}:${url.password}`).toString('base64');
  url.username = '';
  url.password = '';
  return { address: url.toString(), login: ['-c', `http.extraHeader=Authorization: Basic ${credentials}`] };
}

/** Returns the folder in which the service keeps a repository. */
export function folderOfRepository(workspace: Workspace, id: number): string {
  const environment = readEnvironment({ GIT_ROOT: gitRootOf(workspace.folder) });
  return new GitStore(environment, new GitProgram(environment)).folderOf(id);
}

/** Runs git, and returns its outcome even when it fails. */
export const tryGit = (
  folder: string,
  args: readonly string[],
  timeout: number = TIMEOUT_MS,
): Promise<GitOutcome> =>
  new Promise((resolve) => {
    execFile(
      'git',
      args,
      { cwd: folder, env: PERSON, maxBuffer: MAX_OUTPUT, timeout, killSignal: 'SIGKILL' },
      (error, stdout, stderr) => {
        const code = error ? (typeof error.code === 'number' ? error.code : null) : 0;
        resolve({ code, stdout, stderr });
      },
    );
  });

/** Runs git and returns its output. @throws Error when it fails */
export async function git(folder: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await tryGit(folder, args);
  if (code !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}

/** Runs git with a stream as its input. @throws Error when it fails */
export async function gitReading(folder: string, input: Readable, ...args: string[]): Promise<void> {
  const child: ChildProcess = spawn('git', args, {
    cwd: folder,
    env: PERSON,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  if (child.stdin) await pipeline(input, child.stdin);
  const [code] = (await exited) as [number | null];
  if (code !== 0) throw new Error(`git ${args.join(' ')} has ended with ${code}.`);
}
