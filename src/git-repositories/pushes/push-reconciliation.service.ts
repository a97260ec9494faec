import { Injectable, Logger } from '@nestjs/common';
import { BackgroundService } from '../../background/background.service';
import { type BackgroundWork } from '../../background/background-work';
import { GitProgram } from '../../git/git-program';
import { GitStore } from '../../git/git-store';
import { GitPushRepository } from '../data/git-push.repository';
import { GitRepositoryRepository } from '../data/git-repository.repository';
import { PushesService } from './pushes.service';

/** Interval between checks for announced pushes that have not been recorded, in milliseconds. */
const ANNOUNCED_INTERVAL_MS = 60_000;
/** Interval between comparisons of repositories without an announced push, in milliseconds. */
const ALL_INTERVAL_MS = 15 * 60_000;
/** Number of repositories per query. */
const BATCH = 100;
/** Number of repositories without an announced push that one run compares; the next run continues from there. */
const ALL_AT_ONCE = 200;

/**
 * Records pushes that git accepted in a process that was killed before it recorded them, at startup and every minute. At a longer
 * interval, it compares all repositories, which finds manual changes in their folders. Several processes may do this at once.
 */
@Injectable()
export class PushReconciliationService {
  private readonly logger = new Logger(PushReconciliationService.name);
  private hasSaidWhy = false;
  private lastId = 0;
  private readonly announced: BackgroundWork;
  private readonly all: BackgroundWork;

  constructor(
    background: BackgroundService,
    private readonly git: GitProgram,
    private readonly store: GitStore,
    private readonly rows: GitPushRepository,
    private readonly repositories: GitRepositoryRepository,
    private readonly pushes: PushesService,
  ) {
    this.announced = background.add('git_pushes', () => this.recordAnnounced(), {
      intervalMs: ANNOUNCED_INTERVAL_MS,
      failure: 'Could not look for pushes that are not recorded',
    });
    this.all = background.add('git_refs', () => this.recordSome(), {
      intervalMs: ALL_INTERVAL_MS,
      failure: 'Could not compare the refs of git repositories',
    });
  }

  /** Starts both checks, or repeats them after those in progress. */
  start(): void {
    this.announced.start();
    this.all.start();
  }

  private async recordAnnounced(): Promise<void> {
    if (!(await this.hasGit())) return;
    for (let ids = [0]; ids.length > 0;) {
      ids = await this.rows.findRepositoryIds(ids.at(-1) ?? 0, BATCH);
      for (const id of ids) if (!this.announced.isStopping) await this.record(id);
    }
  }

  private async recordSome(): Promise<void> {
    if (!(await this.hasGit())) return;
    const ids = await this.repositories.findIds(this.lastId, ALL_AT_ONCE);
    this.lastId = ids.length < ALL_AT_ONCE ? 0 : (ids.at(-1) ?? 0);
    for (const id of ids) {
      if (this.all.isStopping) return;
      if (await this.store.has(id)) await this.record(id);
    }
  }

  private async hasGit(): Promise<boolean> {
    const isAvailable = await this.git.isAvailable();
    if (!isAvailable && !this.hasSaidWhy) {
      this.hasSaidWhy = true;
      this.logger.log('There is no git on the server, so no pushes are looked for');
    }
    return isAvailable;
  }

  /** Records one repository; an error does not affect the others, and the next run retries. */
  private async record(id: number): Promise<void> {
    await this.pushes
      .record(id)
      .catch((error: unknown) =>
        this.logger.error({ err: error }, `Could not record what was pushed to repository ${id}`),
      );
  }
}
