import { Injectable, Logger } from '@nestjs/common';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { PullRequestRepository, type PullRequestRow } from '../data/pull-request.repository';
import { BranchHeadsService } from './branch-heads.service';

/** A stored pull request with the heads of its branches. */
type Stored = Pick<
  PullRequestRow,
  'id' | 'repositoryId' | 'number' | 'base' | 'branch' | 'baseCommit' | 'branchCommit'
>;

/** Keeps the stored heads of pull requests up to date. */
@Injectable()
export class PullRequestHeadsService {
  private readonly logger = new Logger(PullRequestHeadsService.name);

  constructor(
    private readonly transactions: TransactionsService,
    private readonly pullRequests: PullRequestRepository,
    private readonly branches: BranchHeadsService,
  ) {}

  /**
   * Keeps the head of a pull request whose heads have just been read and stored. A push recorded between the two did not see the pull
   * request; therefore the heads are read again. A failure is only logged, because the change is stored, and the next push sets the
   * heads again.
   */
  async keepHead(row: Stored, userId: number): Promise<void> {
    try {
      await this.storeMovedHeads(row, userId);
    } catch (error) {
      this.logger.warn({ err: error }, `The heads of pull request ${row.id} could not be read again`);
    }
  }

  private async storeMovedHeads(row: Stored, userId: number): Promise<void> {
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
