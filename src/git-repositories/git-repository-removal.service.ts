import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type AuditedCaller } from '../access/caller';
import { AuditLogService } from '../audit-log/audit-log.service';
import { TransactionsService } from '../database/transactions/transactions.service';
import { ProjectCountersService } from '../projects/project-counters.service';
import { ProjectRemovalService } from '../projects/project-removal.service';
import { GitRepositoryRepository } from './data/git-repository.repository';
import { type GitRepositoryDto } from './dto/git-repository.dto';
import { GitRepositoriesService } from './git-repositories.service';
import { type GitRepositoryResource } from './git-repository.loader';
import { GitFoldersService } from './storage/git-folders.service';

/**
 * Removes part of the contents of a git repository, in a transaction that has locked it. `limit` is the maximum number of rows of each
 * kind.
 * @returns whether everything has been removed
 */
export type ContentRemover = (
  manager: EntityManager,
  repositoryId: number,
  limit: number,
) => Promise<boolean>;

/** Maximum number of rows of a kind that one transaction removes. */
const BATCH = 500;

/**
 * Removes git repositories with their contents. Most take one transaction. The contents of a large one are removed first, in several
 * transactions, so that none of them is long. If a crash interrupts this, the removal can be repeated.
 */
@Injectable()
export class GitRepositoryRemovalService implements OnModuleInit {
  private readonly removers: ContentRemover[] = [];

  constructor(
    private readonly transactions: TransactionsService,
    private readonly counters: ProjectCountersService,
    private readonly repositories: GitRepositoriesService,
    private readonly rows: GitRepositoryRepository,
    private readonly projectRemoval: ProjectRemovalService,
    private readonly auditLog: AuditLogService,
    private readonly folders: GitFoldersService,
  ) {}

  onModuleInit(): void {
    // One repository is a whole batch: deleting it cascades to its refs, which may be thousands.
    this.projectRemoval.register('git repositories', async (manager, projectId, limit) => {
      const id = await this.rows.findFirstId(manager, projectId);
      if (id === undefined) return 0;
      await this.folders.removeAfterCommit(manager, id);
      await this.rows.delete(manager, id);
      return limit;
    });
  }

  /** Registers a remover of the contents that a module keeps in git repositories. */
  onRemoval(remover: ContentRemover): void {
    this.removers.push(remover);
  }

  /**
   * Removes a git repository with its contents and returns its last state; emits no event.
   * @throws NoResourceError when another request has removed it
   */
  async remove(repository: GitRepositoryResource, caller: AuditedCaller): Promise<GitRepositoryDto> {
    for (;;) {
      const removed = await this.transactions.run((manager) => this.removeBatch(manager, repository, caller));
      if (removed) return removed;
    }
  }

  /** @returns the git repository when it has been removed; undefined when some of its contents remain */
  private async removeBatch(
    manager: EntityManager,
    { id, projectId }: GitRepositoryResource,
    caller: AuditedCaller,
  ): Promise<GitRepositoryDto | undefined> {
    await this.rows.lock(manager, id);
    for (const remove of this.removers) {
      if (!(await remove(manager, id, BATCH))) return undefined;
    }
    const repository = await this.repositories.get(id, manager);
    await this.folders.removeAfterCommit(manager, id);
    await this.rows.delete(manager, id);
    await this.counters.giveBack(manager, projectId, 'gitRepository');
    await this.auditLog.record(manager, caller, {
      action: 'gitRepository.delete',
      subject: { id, name: repository.name },
      projectId,
    });
    return repository;
  }
}
