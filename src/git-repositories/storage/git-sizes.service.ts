import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { Environment } from '../../config/environment';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { GitStore } from '../../git/git-store';
import { UsedStorageService } from '../../space/used-storage.service';
import { GitStorageRepository } from '../data/git-storage.repository';

/**
 * Tracks the disk usage of repositories. The size of each is measured on disk after a push and after `git gc`, and stored in its row, so
 * that sums do not access the disk. Like files, it counts towards the storage used by the space.
 */
@Injectable()
export class GitSizesService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly rows: GitStorageRepository,
    private readonly store: GitStore,
    private readonly usedStorage: UsedStorageService,
    private readonly environment: Environment,
  ) {}

  /**
   * Returns the maximum size of a push's pack in bytes: limited by `MAX_PUSH_SIZE` and by the free capacity of the space. Concurrent
   * pushes may exceed the capacity together; the next one is refused.
   * @returns undefined when there is no limit
   */
  async roomForPush(): Promise<number | undefined> {
    const room = await this.usedStorage.findRoom();
    const limits = [room, this.environment.MAX_PUSH_SIZE || undefined].filter((limit) => limit !== undefined);
    return limits.length === 0 ? undefined : Math.max(0, Math.min(...limits));
  }

  /** Measures a repository and stores its size. */
  async measure(repositoryId: number): Promise<void> {
    await this.transactions.run(await this.measured(repositoryId));
  }

  /** Measures a repository. @returns a function that stores its size within a transaction */
  async measured(repositoryId: number): Promise<(manager: EntityManager) => Promise<void>> {
    const size = await this.store.size(repositoryId);
    return (manager) => this.write(manager, repositoryId, size);
  }

  /** Releases the storage of a repository. The caller deletes its row next. */
  async giveBack(manager: EntityManager, repositoryId: number): Promise<void> {
    const bytes = await this.rows.markRemoved(manager, repositoryId);
    if (bytes > 0) await this.usedStorage.count(manager, -bytes);
  }

  private async write(manager: EntityManager, repositoryId: number, size: number): Promise<void> {
    const growth = await this.rows.updateSize(manager, repositoryId, size);
    if (growth !== 0) await this.usedStorage.count(manager, growth);
  }
}
