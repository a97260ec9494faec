import { Injectable, Logger } from '@nestjs/common';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { ConflictError, ServiceUnavailableError, TooManyRequestsError } from '../../errors/domain-errors';
import { type GitError } from '../../git/git-errors';
import { GitRefsService } from '../../git-repositories/refs/git-refs.service';
import { BRANCHES } from '../../git-repositories/refs/ref-names';
import { PushesService } from '../../git-repositories/pushes/pushes.service';
import { IssuesService } from '../../issues/issues.service';
import { Turns } from '../../limits/turns';
import { ProjectsService } from '../../projects/projects.service';
import { UsersService } from '../../users/users.service';
import {
  alreadyMergedError,
  type CreatedMerge,
  type PullRequestChange,
  PullRequestWriterService,
} from '../changes/pull-request-writer.service';
import { PullRequestRepository, type PullRequestRow } from '../data/pull-request.repository';
import { PullRequestStatus } from '../pull-request-status';
import { BranchHeadsService, type BranchPair } from './branch-heads.service';
import { onOneLine, toGitIdentity } from './git-identity';
import { MergeCommitsService } from './merge-commits.service';

/** Maximum number of attempts at a merge when the base is pushed to concurrently. */
const MAX_ATTEMPTS = 5;
const MAX_WAITING = 64;
const MAX_WAIT_MS = 30_000;

interface Heads {
  base: string;
  branch: string;
}

/** Merges pull requests with git. */
@Injectable()
export class PullRequestMergeService {
  private readonly logger = new Logger(PullRequestMergeService.name);
  /** Allows one merge per repository at a time, because concurrent ones would only have to restart. */
  private readonly turns = new Turns<number>({
    atOnce: 1,
    maxWaiting: MAX_WAITING,
    maxWaitMs: MAX_WAIT_MS,
    refusal: () => TooManyRequestsError.after('git_processes', 1, MAX_WAIT_MS, null),
  });

  constructor(
    private readonly transactions: TransactionsService,
    private readonly pullRequests: PullRequestRepository,
    private readonly writer: PullRequestWriterService,
    private readonly branches: BranchHeadsService,
    private readonly commits: MergeCommitsService,
    private readonly refs: GitRefsService,
    private readonly pushes: PushesService,
    private readonly users: UsersService,
    private readonly projects: ProjectsService,
    private readonly issues: IssuesService,
  ) {}

  /**
   * Merges a pull request by a commit on its base, together with all other changes of the request. If the base already contains the
   * branch, the head of the base counts as the merge commit. If the process dies between git and the database, or the database fails,
   * recording the push to the base detects the merge (`PullRequestPushesService`), without the other changes.
   * @throws InvalidRequestError for an invalid value; ConflictError when the branches cannot be merged, when one does not exist, and when
   * the pull request is already merged; nothing has changed then
   */
  async merge(id: number, change: PullRequestChange): Promise<void> {
    const { repositoryId } = await this.pullRequests.get(id);
    await this.turns.run(repositoryId, () => this.mergeWithRetries(id, change));
  }

  private async mergeWithRetries(id: number, change: PullRequestChange): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const before = await this.pullRequests.get(id);
      if (before.statusId === PullRequestStatus.Merged) throw alreadyMergedError();
      this.writer.check(before, change);
      const pair = { base: change.body.base ?? before.base, branch: change.body.branch ?? before.branch };
      const heads = await this.headsOf(before, pair, change);
      const mergeCommit = await this.makeCommit(before, pair, heads, change);
      const made = { ...pair, baseCommit: heads.base, branchCommit: heads.branch };
      if (mergeCommit === undefined) {
        if (attempt > 1) throw alreadyMergedError();
        // The merge may be about to be recorded by another request.
        await this.pushes.record(before.repositoryId);
        return this.write(id, change, { ...made, mergeCommit: heads.base, isOwn: false });
      }
      const merge = { ...made, mergeCommit, isOwn: true };
      const refusal = await this.swap(before, change, merge);
      if (!refusal) return;
      // If the base has not changed, git failed for another reason, such as a full disk or a lock held for a long time.
      const isUnchanged = (await this.headsOf(before, pair, change)).base === heads.base;
      if (isUnchanged && attempt === MAX_ATTEMPTS) throw new ServiceUnavailableError(refusal);
    }
    throw ConflictError.of(
      'statusId',
      'The base branch was pushed to during each attempt to merge; try again.',
    );
  }

  /**
   * Points the base at the merge commit if its head has not changed. Two merges in the same second may create the same commit: the second
   * swap is rejected like any other.
   * @returns undefined on success, otherwise the error of git
   */
  private async swap(
    { id, repositoryId }: PullRequestRow,
    change: PullRequestChange,
    merge: CreatedMerge,
  ): Promise<GitError | undefined> {
    const userId = change.caller.id;
    const update = { ref: BRANCHES + merge.base, oldHash: merge.baseCommit, newHash: merge.mergeCommit };
    const pushIds = await this.pushes.announce(repositoryId, change.caller, [update]);
    try {
      const refusal = await this.refs.swap(repositoryId, update, userId);
      if (!refusal) await this.write(id, change, merge);
      return refusal;
    } finally {
      await this.record(repositoryId, pushIds);
    }
  }

  private async write(id: number, change: PullRequestChange, merge: CreatedMerge): Promise<void> {
    await this.transactions.run((manager) => this.writer.write(manager, id, change, merge));
  }

  /** Records the push of a merge. If that fails, the next push or the next reconciliation records it. */
  private async record(repositoryId: number, pushIds: readonly number[]): Promise<void> {
    try {
      await this.pushes.record(repositoryId, pushIds);
    } catch (error) {
      this.logger.warn({ err: error, repositoryId }, 'The push of a merge is not recorded yet');
    }
  }

  /** @throws InvalidRequestError for a missing branch when the request changes the branches, ConflictError otherwise */
  private async headsOf(
    before: PullRequestRow,
    pair: BranchPair,
    { caller }: PullRequestChange,
  ): Promise<Heads> {
    const { repositoryId } = before;
    const isOther = pair.base !== before.base || pair.branch !== before.branch;
    const heads = await this.branches[isOther ? 'require' : 'find'](repositoryId, pair, caller.id);
    const [base, branch] = [heads.get(pair.base), heads.get(pair.branch)];
    if (base !== undefined && branch !== undefined) return { base, branch };
    const missing = JSON.stringify(base === undefined ? pair.base : pair.branch);
    throw ConflictError.of('statusId', `It cannot be merged: the repository has no branch ${missing}.`);
  }

  private async makeCommit(
    before: PullRequestRow,
    { branch }: BranchPair,
    heads: Heads,
    { caller, body }: PullRequestChange,
  ): Promise<string | undefined> {
    const { summary = before.summary, issueId = before.issueId } = body;
    const text = onOneLine(await this.withIssueKey(summary, before.projectId, issueId));
    return this.commits.make({
      ...heads,
      repositoryId: before.repositoryId,
      userId: caller.id,
      author: toGitIdentity(await this.users.get(caller.id)),
      message: `Merge pull request #${before.number} from ${branch}\n\n${text}\n`,
    });
  }

  private async withIssueKey(summary: string, projectId: number, issueId: number | null): Promise<string> {
    if (issueId === null) return summary;
    const issue = (await this.issues.findHeads([issueId])).get(issueId);
    if (!issue) return summary;
    const { projectKey } = await this.projects.get(projectId);
    const key = `${projectKey}-${issue.key_id}`;
    return new RegExp(`(?<![\\w-])${key}(?!\\d)`).test(summary) ? summary : `${summary} (${key})`;
  }
}
