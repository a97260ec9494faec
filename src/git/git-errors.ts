import { ServiceUnavailableError } from '../errors/domain-errors';

/** The server has no usable git, which only the operator can fix. */
export class GitUnavailableError extends ServiceUnavailableError {
  /** @param reason shown to the operator and to the user of the request */
  constructor(readonly reason: string) {
    super(undefined, `There is no git on the server: ${reason}.`);
  }
}

/** The folder of a repository that has been pushed to is missing, which only the operator can fix. */
export class GitFolderMissingError extends ServiceUnavailableError {
  constructor() {
    super(undefined, 'The folder of the git repository is missing: GIT_ROOT has to be mounted or restored.');
  }
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
   */
  constructor(
    readonly args: readonly string[],
    readonly code: number | null,
    readonly stderr: string,
  ) {
    super(`git ${args[0] ?? ''} ended with ${code ?? 'a signal'}: ${stderr.trim()}`);
  }
}

/** The output of a git process exceeded its limit. */
export class GitOutputError extends Error {
  constructor(readonly limit: number) {
    super(`git has printed more than ${limit} bytes`);
  }
}
