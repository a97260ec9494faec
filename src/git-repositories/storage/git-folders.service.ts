import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { BackgroundService } from '../../background/background.service';
import { type BackgroundWork } from '../../background/background-work';
import { commitsSynced } from '../../database/sqlite/sqlite-connections';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { NoResourceError } from '../../errors/domain-errors';
import { GitFolderMissingError } from '../../git/git-errors';
import { GitProgram } from '../../git/git-program';
import { GitStore } from '../../git/git-store';
import { GitStorageRepository } from '../data/git-storage.repository';
import { GitSizesService } from './git-sizes.service';

const BATCH = 500;
/** Interval between searches for orphaned folders, in milliseconds. */
const INTERVAL_MS = 600_000;
/** How long a new folder is left alone, in milliseconds: a process that reads another database node may see it before its row. */
const GRACE_MS = 600_000;
/** How long folders without rows are kept, in days. */
const KEPT_DAYS = 30;

/**
 * Creates the folder of a repository after the transaction that adds its row, and removes it after the one that deletes it. Rows of
 * `removed_git_repository` list the folders left to remove, even if the process dies. A folder with neither row exists because an older
 * database was restored, or another one is used: it is moved aside, and kept for `KEPT_DAYS`.
 */
@Injectable()
export class GitFoldersService implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(GitFoldersService.name);
  private readonly making = new Set<Promise<void>>();
  private readonly background: BackgroundWork;

  constructor(
    background: BackgroundService,
    private readonly dataSource: DataSource,
    private readonly transactions: TransactionsService,
    private readonly rows: GitStorageRepository,
    private readonly sizes: GitSizesService,
    private readonly git: GitProgram,
    private readonly store: GitStore,
  ) {
    this.background = background.add('git_folders', () => this.tidy(), {
      intervalMs: INTERVAL_MS,
      failure: 'Could not remove the folders of deleted git repositories',
    });
  }

  /** Completes the first run. The service must not listen before it: a reused id must not find the folder of another repository. */
  async begin(): Promise<void> {
    this.background.begin();
    await this.background.whenIdle();
  }

  onModuleInit(): void {
    this.store.setCreationCheck(async (id) => {
      if (!(await this.rows.exists(id))) throw new NoResourceError('git repository');
      if (await this.rows.hasRefs(id)) throw new GitFolderMissingError();
    });
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.making);
  }

  /** Resolves when no folder is being created or removed. */
  async whenIdle(): Promise<void> {
    await Promise.all(this.making);
    await this.background.whenIdle();
  }

  /** Creates the folder of a repository after the transaction commits. If that fails, the first use creates it. */
  createAfterCommit(manager: EntityManager, repositoryId: number): void {
    this.transactions.afterCommit(manager, () => {
      const making = this.make(repositoryId).finally(() => this.making.delete(making));
      this.making.add(making);
    });
  }

  /** Removes the folder of a repository after the transaction commits. The caller deletes its row next. */
  async removeAfterCommit(manager: EntityManager, repositoryId: number): Promise<void> {
    await this.sizes.giveBack(manager, repositoryId);
    this.transactions.afterCommit(manager, () => this.background.start());
  }

  /** Removes the folders of removed repositories, and moves orphaned ones aside. */
  tidyUp(): Promise<void> {
    this.background.start();
    return this.whenIdle();
  }

  /**
   * Moves a folder aside unless it has a row, as it happens in the background.
   * @returns its new path; 'new' if it has changed a short time ago, undefined if it has a row or is gone
   */
  async putAsideOrphan(id: number): Promise<{ path: string } | 'new' | undefined> {
    if ((await this.rows.findKnown([id])).has(id)) return undefined;
    const path = await this.store.putAside(id, GRACE_MS);
    if (path !== undefined) return { path };
    return (await this.store.has(id)) ? 'new' : undefined;
  }

  private async make(repositoryId: number): Promise<void> {
    try {
      if (!(await this.git.isAvailable())) return;
      await this.store.open(repositoryId);
    } catch (error) {
      // The repository has been removed already.
      if (error instanceof NoResourceError) return;
      this.logger.warn(
        { err: error },
        `Could not create the folder of git repository ${repositoryId}; its first use creates it`,
      );
    }
  }

  private async tidy(): Promise<void> {
    await this.removeFolders();
    await this.putAsideOrphans();
    await this.store.removeLeftovers();
    await this.store.removeOrphans(KEPT_DAYS);
  }

  private async removeFolders(): Promise<void> {
    for (let ids = await this.rows.findRemoved(BATCH); ids.length > 0;) {
      await commitsSynced(this.dataSource);
      for (const id of ids) {
        if (this.background.isStopping) return;
        await this.store.remove(id);
      }
      await this.transactions.run((manager) => this.rows.deleteRemoved(manager, ids));
      ids = await this.rows.findRemoved(BATCH);
    }
  }

  private async putAsideOrphans(): Promise<void> {
    let batch: number[] = [];
    for await (const id of this.store.ids()) {
      if (this.background.isStopping) return;
      batch.push(id);
      if (batch.length < BATCH) continue;
      await this.putAsideUnknown(batch);
      batch = [];
    }
    await this.putAsideUnknown(batch);
  }

  private async putAsideUnknown(ids: readonly number[]): Promise<void> {
    const known = await this.rows.findKnown(ids);
    for (const id of ids.filter((each) => !known.has(each))) {
      const path = await this.store.putAside(id, GRACE_MS);
      if (path === undefined) continue;
      this.logger.warn(
        `The database has no git repository ${id}: its folder is kept as ${path} for ${KEPT_DAYS} days. If the database is not the ` +
          'one that belongs to GIT_ROOT, stop the service, and see "Folders without rows" in docs/git.md.',
      );
    }
  }
}
