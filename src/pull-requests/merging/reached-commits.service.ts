import { Injectable, Logger } from '@nestjs/common';
import { GitError, toGitError } from '../../git/git-errors';
import { GitProgram } from '../../git/git-program';
import { GitStore } from '../../git/git-store';

/** Maximum number of first-parent commits searched for the one that merged a branch. */
const MAX_FIRST_PARENTS = 10_000;
const WALK_TIMEOUT_MS = 60_000;

/** The range of commits that a push has added to a branch. */
export interface PushRange {
  repositoryId: number;
  /** The user who has pushed. */
  userId: number;
  from: string;
  to: string;
}

/** Finds commits that a push has added to a branch. */
@Injectable()
export class ReachedCommitsService {
  private readonly logger = new Logger(ReachedCommitsService.name);

  constructor(
    private readonly git: GitProgram,
    private readonly store: GitStore,
  ) {}

  /**
   * Returns those of the given commits that the branch contains after the push and did not contain before. The output of git is
   * compared as it arrives, because it may list any number of commits. Returns none when git no longer has a commit, or takes too long.
   */
  async filterReached(
    { repositoryId, userId, from, to }: PushRange,
    commits: readonly string[],
  ): Promise<Set<string>> {
    const wanted = new Set(commits);
    const reached = new Set<string>();
    if (wanted.size === 0) return reached;
    const options = {
      repository: await this.store.open(repositoryId),
      userId,
      pool: 'service',
      timeoutMs: WALK_TIMEOUT_MS,
    } as const;
    const args = ['rev-list', '--end-of-options', to, `^${from}`];
    const end = performance.now() + WALK_TIMEOUT_MS;
    const child = await this.git.start(args, options);
    let rest = '';
    child.stdout.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString('latin1')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (wanted.has(line)) reached.add(line);
    });
    child.stdin.end();
    const exit = await child.exited;
    if (exit.code === 0) return reached;
    this.tolerate(toGitError(args, exit), repositoryId, end);
    return new Set();
  }

  /**
   * Returns the oldest first-parent commit of the branch that contains a commit added by the push: the merge commit, or the commit
   * itself when the branch was fast-forwarded to it. Returns the pushed commit when git takes too long.
   */
  async findMergingCommit({ repositoryId, userId, from, to }: PushRange, commit: string): Promise<string> {
    const options = {
      repository: await this.store.open(repositoryId),
      userId,
      pool: 'service',
      timeoutMs: WALK_TIMEOUT_MS,
    } as const;
    const range = ['--end-of-options', to, `^${from}`];
    const args = ['rev-list', '--first-parent', `--max-count=${MAX_FIRST_PARENTS}`, ...range];
    let end = performance.now() + WALK_TIMEOUT_MS;
    try {
      // Newest first: all commits up to the wanted one contain the added commit.
      const line = (await this.git.text(args, options)).split('\n');
      let [low, high] = [0, line.length - 1];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        const contains = ['merge-base', '--is-ancestor', commit, line[middle] as string];
        end = performance.now() + WALK_TIMEOUT_MS;
        const { code } = await this.git.run(contains, { ...options, okCodes: [1] });
        if (code === 0) low = middle;
        else high = middle - 1;
      }
      return line[low] ?? to;
    } catch (error) {
      this.tolerate(error, repositoryId, end);
      return to;
    }
  }

  /**
   * Logs an error of git, because the push must be recorded whatever it contains.
   * @param end the time at which git had taken too long
   * @throws the error when it is not about the contents, or git was stopped before
   */
  private tolerate(error: unknown, repositoryId: number, end: number): void {
    if (!(error instanceof GitError)) throw error;
    const isStopped = error.code === null && performance.now() < end;
    if (isStopped && !error.isOverLimit) throw error;
    this.logger.warn(
      { err: error, repositoryId },
      'The commits that a push has merged could not be determined',
    );
  }
}
