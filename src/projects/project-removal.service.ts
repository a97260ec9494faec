import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { BackgroundWork } from '../database/background-work';
import { inBatches } from '../database/in-batches';
import { TransactionsService } from '../database/transactions.service';

/**
 * What a project holds, in the order in which it can be removed: nothing goes before what names it. Each module removes its
 * own.
 */
const REMOVAL_STEPS = [
  'webhooks',
  'pull requests',
  'git repositories',
  'wiki pages',
  'issues',
  'activities',
  'comments',
  'settings',
  'members',
] as const;

export type RemovalStep = (typeof REMOVAL_STEPS)[number];

/** Removes up to `limit` rows of a project in a transaction of its own, and tells how many there were. */
export type Remover = (manager: EntityManager, projectId: number, limit: number) => Promise<number>;

const BATCH = 500;
/** How often what a stopped process has left is looked for, in milliseconds. */
const INTERVAL_MS = 60_000;

/**
 * Removes what deleted projects held, in short transactions after the one that made them invisible. Removing goes on where
 * it was after a crash, and several processes may do it at once.
 */
@Injectable()
export class ProjectRemovalService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(ProjectRemovalService.name);
  private readonly removers = new Map<RemovalStep, Remover[]>();
  private readonly work = new BackgroundWork(
    () => this.removeDeleted(),
    INTERVAL_MS,
    (error) => this.logger.error({ err: error }, 'Could not look for deleted projects'),
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TransactionsService,
  ) {}

  /** Has a module remove its part of a project; several of one step are asked in the order they came. */
  register(step: RemovalStep, remover: Remover): void {
    this.removers.set(step, [...(this.removers.get(step) ?? []), remover]);
  }

  onApplicationBootstrap(): void {
    this.work.begin();
  }

  onModuleDestroy(): Promise<void> {
    return this.work.stop();
  }

  /** Removes what is there to be removed, after what is being removed already. */
  start(): void {
    this.work.start();
  }

  /** Resolves when nothing is being removed. */
  whenIdle(): Promise<void> {
    return this.work.whenIdle();
  }

  private async removeDeleted(): Promise<void> {
    const projects = await this.dataSource.query<{ id: number }[]>(
      'SELECT id FROM project WHERE deleted = 1 ORDER BY id',
    );
    for (const { id } of projects) {
      // Tried again in a while; it keeps no other from being removed.
      await this.removeContent(id).catch((error: unknown) =>
        this.logger.error({ err: error }, `Could not remove what project ${id} held`),
      );
    }
  }

  private async removeContent(projectId: number): Promise<void> {
    for (const step of REMOVAL_STEPS) {
      for (const remove of this.removers.get(step) ?? []) {
        await inBatches(BATCH, (limit) =>
          this.work.isStopping
            ? Promise.resolve(0)
            : this.transactions.run((manager) => remove(manager, projectId, limit)),
        );
      }
    }
    if (this.work.isStopping) return;
    await this.transactions.run((manager) =>
      manager.query('DELETE FROM project WHERE id = ? AND deleted = 1', [projectId]),
    );
  }
}
