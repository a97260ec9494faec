import { Injectable, Logger } from '@nestjs/common';
import { GitError, toGitError } from '../../git/git-errors';
import { NOBODY } from '../../git/git-pools';
import { GitProgram } from '../../git/git-program';
import { GitStore } from '../../git/git-store';
import { NO_HASH } from '../refs/ref-names';
import { CommitRecords, readRecords } from './commit-records';

/** A commit as shown in activities and issues. Long texts are truncated. */
export interface PushedCommit {
  hash: string;
  authorName: string;
  authorMail: string;
  /** The author's time, in milliseconds since 1970. */
  authored: number;
  message: string;
}

/** The commits reachable from any of `to`, and from none of `notFrom`. */
export interface CommitRange {
  /** The user who has pushed them. */
  userId: number;
  to: readonly string[];
  /** Any number; hashes that git no longer has are ignored. */
  notFrom: readonly string[];
}

const FORMAT = '--format=tformat:%H%x00%an%x00%ae%x00%at%x00%B%x00';
const FIELDS = 5;
const TIMEOUT_MS = 30_000;
/** Maximum output read for one list of commits, in bytes: the list is shorter when messages are long. */
const MAX_BYTES = 64 * 1024 * 1024;
const OPTIONS = { pool: 'service', timeoutMs: TIMEOUT_MS } as const;
const MAX_NAME = 255;
const MAX_COUNT = 1_000_000;
const LAST_SECOND = 253_402_300_799;

/**
 * Reads the commits of pushes. A push must be recorded whatever it contains: when git cannot read a commit, or takes too long, the
 * list ends there.
 */
@Injectable()
export class PushedCommitsService {
  private readonly logger = new Logger(PushedCommitsService.name);

  constructor(
    private readonly git: GitProgram,
    private readonly store: GitStore,
  ) {}

  /**
   * Returns the latest commits of a range, at most `limit`, newest first.
   * @param text returns only commits with this text in their message
   * @throws GitUnavailableError without git
   */
  list(repositoryId: number, range: CommitRange, limit: number, text?: string): Promise<PushedCommit[]> {
    const filter = text === undefined ? [] : ['--fixed-strings', `--grep=${text}`];
    const args = [
      'log',
      `--max-count=${limit}`,
      ...filter,
      '--encoding=UTF-8',
      FORMAT,
      '--ignore-missing',
      '--stdin',
    ];
    return this.read(repositoryId, range.userId, args, inputOf(range));
  }

  /** Returns the number of commits in a range, up to a million. @throws GitUnavailableError without git */
  async count(repositoryId: number, range: CommitRange): Promise<number> {
    const args = ['rev-list', '--count', `--max-count=${MAX_COUNT}`, '--ignore-missing', '--stdin'];
    return Number(await this.print(repositoryId, range.userId, args, inputOf(range)));
  }

  /**
   * Returns the commit hash that each hash of a commit or tag leads to; leaves out those that lead to none.
   * @throws GitUnavailableError without git
   */
  async resolve(repositoryId: number, hashes: readonly string[]): Promise<Map<string, string>> {
    if (hashes.length === 0) return new Map();
    const input = hashes.map((hash) => `${hash}^{commit}\n`).join('');
    const args = ['cat-file', '--batch-check=%(objectname)'];
    const printed = await this.print(repositoryId, NOBODY, args, input);
    const lines = printed.split('\n');
    return new Map(
      hashes.flatMap((hash, index) => (/^[0-9a-f]+$/.test(lines[index] ?? '') ? [[hash, lines[index]]] : [])),
    ) as Map<string, string>;
  }

  /** Returns the commits of commit and tag hashes, by these hashes. @throws GitUnavailableError without git */
  async find(repositoryId: number, hashes: readonly string[]): Promise<Map<string, PushedCommit>> {
    const targets = await this.resolve(repositoryId, hashes);
    const distinct = [...new Set(targets.values())];
    if (distinct.length === 0) return new Map();
    const log = ['log', '--no-walk=unsorted', '--encoding=UTF-8', FORMAT, '--stdin'];
    const commits = await this.read(repositoryId, NOBODY, log, distinct.join('\n'));
    const byHash = new Map(commits.map((commit) => [commit.hash, commit]));
    return new Map(
      [...targets].flatMap(([hash, target]) => {
        const commit = byHash.get(target);
        return commit ? [[hash, commit]] : [];
      }),
    );
  }

  /** Returns the output of git, or an empty text when it fails. */
  private async print(
    repositoryId: number,
    userId: number,
    args: readonly string[],
    input: string,
  ): Promise<string> {
    const repository = await this.store.open(repositoryId);
    const started = performance.now();
    try {
      return await this.git.text(args, { ...OPTIONS, repository, userId, input });
    } catch (error) {
      this.accept(repositoryId, error, false, started);
      return '';
    }
  }

  private async read(
    repositoryId: number,
    userId: number,
    args: readonly string[],
    input: string,
  ): Promise<PushedCommit[]> {
    const repository = await this.store.open(repositoryId);
    const child = await this.git.start(args, { ...OPTIONS, repository, userId });
    const started = performance.now();
    const records = new CommitRecords(FIELDS);
    child.stdin.end(input);
    let isCut = false;
    try {
      isCut = !(await readRecords(child.stdout, records, MAX_BYTES));
    } catch {
      // The output has been closed because git was stopped.
    }
    if (isCut) child.kill();
    const exit = await child.exited;
    if (exit.code !== 0) this.accept(repositoryId, toGitError(args, exit), isCut, started);
    return records.records.map(toCommit);
  }

  /** Logs an error of git. @throws the error when git was stopped at shutdown, because the result is then unknown */
  private accept(repositoryId: number, error: unknown, isCut: boolean, started: number): void {
    const isLate = performance.now() - started >= TIMEOUT_MS;
    const isStopped = error instanceof GitError && error.code === null && !error.isOverLimit;
    if (!(error instanceof GitError) || (isStopped && !isCut && !isLate)) throw error;
    this.logger.warn({ err: error }, `Not all commits of a push to repository ${repositoryId} can be read`);
  }
}

const inputOf = ({ to, notFrom }: CommitRange): string =>
  [...to, ...notFrom.filter((hash) => hash !== NO_HASH).map((hash) => `^${hash}`)].join('\n');

function toCommit([hash = '', name = '', mail = '', time, message = '']: string[]): PushedCommit {
  const seconds = Number(time);
  return {
    hash,
    authorName: name.slice(0, MAX_NAME),
    authorMail: mail.slice(0, MAX_NAME),
    authored: seconds >= 0 && seconds <= LAST_SECOND ? seconds * 1000 : 0,
    message: message.trimEnd(),
  };
}
