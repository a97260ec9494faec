import { Injectable } from '@nestjs/common';
import { type Caller } from '../../access/caller';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { InvalidRequestError } from '../../errors/domain-errors';
import { IssuesService } from '../../issues/issues.service';
import { requireKeptBranches, requireTwoBranches } from '../branches';
import { PullRequestRepository } from '../data/pull-request.repository';
import { type PullRequestDto } from '../dto/pull-request.dto';
import { type UpdatePullRequestDto } from '../dto/update-pull-request.dto';
import { type BranchHeads, BranchHeadsService } from '../merging/branch-heads.service';
import { PullRequestHeadsService } from '../merging/pull-request-heads.service';
import { PullRequestMergeService } from '../merging/pull-request-merge.service';
import { PullRequestEventsService } from '../pull-request-events.service';
import { PullRequestReaderService } from '../pull-request-reader.service';
import { PullRequestStatus } from '../pull-request-status';
import { type PullRequestResource } from '../pull-request.loader';
import { PullRequestWriterService } from './pull-request-writer.service';

/** Updates pull requests. */
@Injectable()
export class PullRequestUpdateService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly pullRequests: PullRequestRepository,
    private readonly issues: IssuesService,
    private readonly events: PullRequestEventsService,
    private readonly reader: PullRequestReaderService,
    private readonly writer: PullRequestWriterService,
    private readonly branches: BranchHeadsService,
    private readonly heads: PullRequestHeadsService,
    private readonly merging: PullRequestMergeService,
  ) {}

  /**
   * Updates the given fields and attaches files, and reports this in one comment and in activity 19, or 20 when no field has
   * changed. Does nothing if there is no change, no file, no text and no user to notify. With git, setting the status to Merged merges
   * the branches.
   * @throws InvalidRequestError for an invalid value or status transition; ConflictError when git cannot merge; nothing is stored
   */
  async update(
    { id, projectId }: PullRequestResource,
    caller: Caller,
    body: UpdatePullRequestDto,
  ): Promise<PullRequestDto> {
    refuseFilesInMerge(body);
    const people = await this.events.peopleOf(projectId, caller, body, body.comment);
    if (body.issueId) await this.issues.getUsable(caller, projectId, body.issueId, 'issueId');
    const { statusId, base, branch } = body;
    const concernsGit = statusId !== undefined || base !== undefined || branch !== undefined;
    const hasGit = concernsGit && (await this.branches.isKnown());
    if (hasGit && statusId === PullRequestStatus.Merged) {
      await this.merging.merge(id, { caller, body, people });
    } else {
      const heads = hasGit ? await this.headsAfter(id, caller, body) : undefined;
      const change = { caller, body, people, heads };
      const row = await this.transactions.run((manager) => this.writer.write(manager, id, change));
      if (heads) await this.heads.keepHead(row, caller.id);
    }
    return this.reader.get(id);
  }

  /**
   * Returns the branch heads of a pull request whose branches change, or that is reopened; undefined otherwise.
   * @throws InvalidRequestError when a new branch does not exist, or the pull request is Merged and must keep its branches
   */
  private async headsAfter(
    id: number,
    caller: Caller,
    body: UpdatePullRequestDto,
  ): Promise<BranchHeads | undefined> {
    const before = await this.pullRequests.get(id);
    const { base = before.base, branch = before.branch, statusId = before.statusId } = body;
    const pair = { base, branch };
    requireTwoBranches(pair);
    if (base !== before.base || branch !== before.branch) {
      if (before.statusId === PullRequestStatus.Merged) requireKeptBranches(before, pair);
      return this.branches.require(before.repositoryId, pair, caller.id);
    }
    const isOpened = statusId === PullRequestStatus.Open && before.statusId !== PullRequestStatus.Open;
    return isOpened ? this.branches.find(before.repositoryId, pair, caller.id) : undefined;
  }
}

/**
 * Refuses files in a request that merges: if attaching one failed, the merge in git could not be undone.
 * @throws InvalidRequestError
 */
function refuseFilesInMerge({ statusId, attachmentId = [] }: UpdatePullRequestDto): void {
  if (statusId === PullRequestStatus.Merged && attachmentId.length > 0) {
    throw InvalidRequestError.of('attachmentId', 'A request that merges cannot attach files.');
  }
}
