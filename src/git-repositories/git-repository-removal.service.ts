import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { affectedRows, lockRow } from '../database/statements';
import { TransactionsService } from '../database/transactions.service';
import { NoResourceError } from '../errors/domain-errors';
import { ProjectCountersService } from '../projects/project-counters.service';
import { ProjectRemovalService } from '../projects/project-removal.service';
import { type GitRepositoryDto } from './dto/git-repository.dto';
import { GitRepositoriesService } from './git-repositories.service';
import { type GitRepositoryResource } from './git-repository.loader';

/**
 * Removes some of what a repository holds, in a transaction that has the repository's row. `limit` bounds the rows of each
 * kind.
 * @returns whether that was all
 */
export type ContentRemover = (
  manager: EntityManager,
  repositoryId: number,
  limit: number,
) => Promise<boolean>;

/** As many rows of a kind go in one transaction. */
const BATCH = 500;

/**
 * Removes repositories with what they hold. A usual one goes in one transaction; of a large one the content goes first,
 * in several, so that none of them is long. One that a crash leaves half empty can be removed again.
 */
@Injectable()
export class GitRepositoryRemovalService implements OnModuleInit {
  private readonly removers: ContentRemover[] = [];

  constructor(
    private readonly transactions: TransactionsService,
    private readonly counters: ProjectCountersService,
    private readonly repositories: GitRepositoriesService,
    private readonly projectRemoval: ProjectRemovalService,
  ) {}

  onModuleInit(): void {
    // No more than a counter lets be.
    this.projectRemoval.register('git repositories', (manager, projectId) =>
      affectedRows(manager, 'DELETE FROM git_repository WHERE project_id = ?', [projectId]),
    );
  }

  /** Has a module remove what it keeps in a repository. */
  onRemoval(remover: ContentRemover): void {
    this.removers.push(remover);
  }

  /**
   * Removes a repository and all that it holds, and gives what it was; tells nobody.
   * @throws NoResourceError when somebody else has been faster
   */
  async remove(repository: GitRepositoryResource): Promise<GitRepositoryDto> {
    for (;;) {
      const removed = await this.transactions.run((manager) => this.removeBatch(manager, repository));
      if (removed) return removed;
    }
  }

  /** @returns the repository if that was the last of it */
  private async removeBatch(
    manager: EntityManager,
    { id, projectId }: GitRepositoryResource,
  ): Promise<GitRepositoryDto | undefined> {
    if (!(await lockRow(manager, 'git_repository', id))) throw new NoResourceError('git repository');
    for (const remove of this.removers) {
      if (!(await remove(manager, id, BATCH))) return undefined;
    }
    const repository = await this.repositories.get(id, manager);
    await manager.query('DELETE FROM git_repository WHERE id = ?', [id]);
    await this.counters.giveBack(manager, projectId, 'gitRepository');
    return repository;
  }
}
