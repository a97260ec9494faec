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

/** How the error messages of git and of the system name a full disk, or a full share of one. */
const FULL_DISK = /No space left on device|Disk quota exceeded/;
/** Returns whether an error message is about a full disk. */
export const isFullDisk = (text: string): boolean => FULL_DISK.test(text);

/** How git says that a name would have to be a file and a folder at once. */
const NAME_CONFLICT = /exists; cannot create|there is a non-empty directory|at the same time/;

/** Git could not update a ref, for a reason that is not the user's: a full disk, or a lock of another process. */
export class RefNotUpdatedError extends ServiceUnavailableError {
  /** @param cause the error of git, only for the log */
  constructor(cause: GitError) {
    super(
      cause,
      isFullDisk(cause.stderr)
        ? 'The disk of the server is full: git could not store the change.'
        : 'Git could not store the change: try again later.',
    );
  }
}

/** Whether git has refused a ref because its name conflicts with that of another one. */
export const isNameConflict = ({ stderr }: GitError): boolean => NAME_CONFLICT.test(stderr);

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
