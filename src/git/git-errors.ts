import { NoResourceError, ServiceUnavailableError } from '../errors/domain-errors';
import { isOutOfMemory, isOutOfTime } from './git-limits';

/** The server has no usable git, which only the operator can fix. */
export class GitUnavailableError extends ServiceUnavailableError {
  /** @param reason shown to the operator and to the user of the request */
  constructor(readonly reason: string) {
    super(undefined, `Git is not available on the server: ${reason}.`);
  }
}

/** The folder of a repository that has been pushed to is missing, which only the operator can fix. */
export class GitFolderMissingError extends ServiceUnavailableError {
  constructor() {
    super(undefined, 'The folder of the git repository is missing: the operator must restore GIT_ROOT.');
  }
}

/** The exit code of git after a fatal error. */
export const FATAL = 128;

/** The outcome of a git process. */
export interface GitExit {
  /** Null when the process was killed by a signal, or could not be started. */
  code: number | null;
  /** The signal that killed it. */
  signal: NodeJS.Signals | null;
  /** The end of its error output. */
  stderr: string;
  /** Whether it failed, and the folder of its repository has been removed. */
  isGone: boolean;
}

/** Refs of a repository cannot be read, which only the operator can fix. */
export class GitRefsDamagedError extends ServiceUnavailableError {
  /** @param what the damaged file or ref, shown to the operator and to the user of the request */
  constructor(what: string) {
    super(
      undefined,
      `The git repository is damaged on the server (${what}): its operator can repair it with pms doctor --fix.`,
    );
  }
}

/** A git process failed. */
export class GitError extends Error {
  /**
   * @param args the arguments of the process
   * @param code its exit code; null when it was killed
   * @param stderr its error output
   * @param signal the signal that killed it
   */
  constructor(
    readonly args: readonly string[],
    readonly code: number | null,
    readonly stderr: string,
    readonly signal: NodeJS.Signals | null = null,
  ) {
    super(`git ${args[0] ?? ''} ended with ${code ?? signal ?? 'a signal'}: ${stderr.trim()}`);
  }

  /** Whether the process exceeded its limit of memory or CPU time. */
  get isOverLimit(): boolean {
    return isOutOfTime(this) || (this.code !== 0 && isOutOfMemory(this.stderr));
  }
}

/** Whether the shell that sets the limits could not run git. */
export const isNotRunnable = ({ code, stderr }: Pick<GitExit, 'code' | 'stderr'>): boolean =>
  (code === 126 || code === 127) && stderr.includes('exec');

/** Returns the error about a git process that failed. */
export function toGitError(
  args: readonly string[],
  exit: GitExit,
): GitError | GitUnavailableError | NoResourceError {
  if (exit.isGone) return new NoResourceError('git repository');
  if (isNotRunnable(exit)) return new GitUnavailableError(exit.stderr.trim());
  return new GitError(args, exit.code, exit.stderr, exit.signal);
}

/** The output of a git process exceeded its limit. */
export class GitOutputError extends Error {
  constructor(readonly limit: number) {
    super(`git has printed more than ${limit} bytes`);
  }
}
