import { Injectable, Logger } from '@nestjs/common';
import { TransactionsService } from '../../database/transactions.service';
import { PullRequestRepository, type PullRequestRow } from '../data/pull-request.repository';
import { BranchHeadsService } from './branch-heads.service';

/** A pull request that has been stored with the heads of its branches. */
type Stored = Pick<
  PullRequestRow,
  'id' | 'repositoryId' | 'number' | 'base' | 'branch' | 'baseCommit' | 'branchCommit'
>;

/** Keeps the heads of pull requests. */
@Injectable()
export class PullRequestHeadsService {
  private readonly logger = new Logger(PullRequestHeadsService.name);

  constructor(
    private readonly transactions: TransactionsService,
    private readonly pullRequests: PullRequestRepository,
    private readonly branches: BranchHeadsService,
  ) {}

  /**
   * Keeps the head of a pull request whose branches have been looked at, and stored, a moment ago. A push that was recorded
   * between the two has not seen it; therefore it looks again. A failure is only logged, because the change is stored: the next push
   * sets them again.
   */
  async settle(row: Stored, userId: number): Promise<void> {
    try {
      await this.lookAgain(row, userId);
    } catch (error) {
      this.logger.warn({ err: error }, `The heads of pull request ${row.id} could not be looked at again`);
    }
  }

  private async lookAgain(row: Stored, userId: number): Promise<void> {
    const { id, repositoryId, number } = row;
    const heads = await this.branches.find(repositoryId, row, userId);
    const moved = (['base', 'branch'] as const).flatMap((field) => {
      const [from, to] = [row[`${field}Commit`], heads.get(row[field])];
      return from !== null && to !== undefined && from !== to ? [{ field, from, to }] : [];
    });
    if (moved.length > 0) {
      await this.transactions.run(async (manager) => {
        for (const move of moved) await this.pullRequests.replaceCommit(manager, id, move);
      });
    }
    const commit = heads.get(row.branch) ?? row.branchCommit;
    if (commit !== null) await this.branches.keep(repositoryId, [{ number, commit }]);
  }
}
