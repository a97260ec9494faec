import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { BackgroundService } from '../../background/background.service';
import { type BackgroundWork } from '../../background/background-work';
import { GitHousekeeping } from '../../git/git-housekeeping';
import { GitProgram } from '../../git/git-program';
import { GitStore } from '../../git/git-store';
import { GitStorageRepository } from '../data/git-storage.repository';
import { PushesService } from '../pushes/pushes.service';
import { GitSizesService } from './git-sizes.service';

const BATCH = 500;
const INTERVAL_MS = 15 * 60_000;

/**
 * Keeps repositories small and fast, one after the other: removes the leftovers of killed git processes, and runs `git gc` where
 * pushes have left many files. Several processes may examine one repository; git's lock prevents concurrent `git gc`.
 */
@Injectable()
export class GitMaintenanceService implements OnModuleInit {
  private readonly logger = new Logger(GitMaintenanceService.name);
  /** Whether all sizes have been measured on disk since startup. */
  private hasMeasured = false;
  private readonly background: BackgroundWork;

  constructor(
    background: BackgroundService,
    private readonly rows: GitStorageRepository,
    private readonly sizes: GitSizesService,
    private readonly git: GitProgram,
    private readonly store: GitStore,
    private readonly housekeeping: GitHousekeeping,
    private readonly pushes: PushesService,
  ) {
    this.background = background.add('git_maintenance', () => this.maintainAll(), {
      intervalMs: INTERVAL_MS,
      failure: 'Could not maintain the git repositories',
    });
  }

  onModuleInit(): void {
    this.pushes.onPush(({ repositoryId }) => this.sizes.measured(repositoryId));
  }

  /** Maintains a repository; does nothing when it has no folder. */
  async maintain(repositoryId: number): Promise<void> {
    if (!(await this.store.has(repositoryId))) return;
    const folder = await this.store.open(repositoryId);
    await this.housekeeping.removeStale(folder);
    if (!(await this.housekeeping.isNeeded(folder))) return;
    if (await this.housekeeping.collect(folder, this.background.signal))
      await this.sizes.measure(repositoryId);
  }

  private async maintainAll(): Promise<void> {
    if (!(await this.git.isAvailable())) return;
    let ids = await this.rows.findIdsAfter(0, BATCH);
    for (; ids.length > 0; ids = await this.rows.findIdsAfter(ids.at(-1) as number, BATCH)) {
      for (const id of ids) {
        if (this.background.isStopping) return;
        await this.tryToMaintain(id);
      }
    }
    this.hasMeasured = true;
  }

  private async tryToMaintain(id: number): Promise<void> {
    try {
      await this.maintain(id);
      if (!this.hasMeasured) await this.sizes.measure(id);
    } catch (error) {
      // The next run retries. Errors due to a shutdown or a removal of the repository are expected.
      if (this.background.isStopping || !(await this.store.has(id))) return;
      this.logger.error({ err: error }, `Could not maintain git repository ${id}`);
    }
  }
}
