import { ServiceUnavailableError } from '../errors/domain-errors';

/** There is no git that can be used, which only the operator can change. */
export class GitUnavailableError extends ServiceUnavailableError {
  /** @param reason for the operator and for whoever asks for git */
  constructor(readonly reason: string) {
    super(undefined, `There is no git on the server: ${reason}.`);
  }
}

/** The folder of a repository that has been pushed to is not there, which only the operator can change. */
export class GitFolderMissingError extends ServiceUnavailableError {
  constructor() {
    super(undefined, 'The folder of the git repository is missing: GIT_ROOT has to be mounted or restored.');
  }
}

/** Git has failed. */
export class GitError extends Error {
  /**
   * @param args what git was asked
   * @param code its exit code; null when it was ended
   * @param stderr what it has said
   */
  constructor(
    readonly args: readonly string[],
    readonly code: number | null,
    readonly stderr: string,
  ) {
    super(`git ${args[0] ?? ''} ended with ${code ?? 'a signal'}: ${stderr.trim()}`);
  }
}

/** Git has printed more than there is room for. */
export class GitOutputError extends Error {
  constructor(readonly limit: number) {
    super(`git has printed more than ${limit} bytes`);
  }
}
