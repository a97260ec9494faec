import { Injectable, Logger } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { BackgroundService } from '../background/background.service';
import { type BackgroundWork } from '../background/background-work';
import { TransactionsService } from '../database/transactions/transactions.service';
import { ProjectRepository } from './data/project.repository';

/**
 * The parts of a project in the order of their removal: referencing rows before referenced ones. Each module removes its own. Most
 * resources are among the contents, which do not refer to each other.
 */
const REMOVAL_STEPS = [
  // First, so that changes of teams no longer write into the project.
  'teams',
  'webhooks',
  'pull requests',
  'git repositories',
  'contents',
  'shared files',
  'activities',
  'comments',
  'notifications',
  'settings',
  'members',
] as const;

export type RemovalStep = (typeof REMOVAL_STEPS)[number];

/** Removes up to `limit` rows of a project in a separate transaction, and returns their number. */
export type Remover = (manager: EntityManager, projectId: number, limit: number) => Promise<number>;

const BATCH = 500;
/** Interval between checks for unfinished removals of a stopped process, in milliseconds. */
const INTERVAL_MS = 60_000;

/**
 * Removes the contents of deleted projects, in short transactions after the one that made them invisible. After a crash the
 * removal continues, and several processes may run it concurrently.
 */
@Injectable()
export class ProjectRemovalService {
  private readonly logger = new Logger(ProjectRemovalService.name);
  private readonly removers = new Map<RemovalStep, Remover[]>();
  private readonly listeners: (() => Promise<void>)[] = [];
  private readonly work: BackgroundWork;

  constructor(
    background: BackgroundService,
    private readonly projects: ProjectRepository,
    private readonly transactions: TransactionsService,
  ) {
    this.work = background.add('project_removal', () => this.removeDeleted(), {
      intervalMs: INTERVAL_MS,
      failure: 'Could not look for deleted projects',
    });
  }

  /** Registers a module's removers; removers of one step run in the order of their registration. */
  register(step: RemovalStep, ...removers: Remover[]): void {
    this.removers.set(step, [...(this.removers.get(step) ?? []), ...removers]);
  }

  /** Adds what runs after the deletion of a project, before the response. It must not reject. */
  onDeleted(listener: () => Promise<void>): void {
    this.listeners.push(listener);
  }

  /** Starts the removal of a project whose deletion has been committed, and waits for the listeners. */
  async afterDeletion(): Promise<void> {
    this.start();
    await Promise.all(this.listeners.map((listener) => listener()));
  }

  /** Starts a removal, or another one after the current one. */
  start(): void {
    this.work.start();
  }

  private async removeDeleted(): Promise<void> {
    for (const id of await this.projects.findDeletedIds()) {
      // The next run retries; other projects are still removed in this one.
      await this.removeContent(id).catch((error: unknown) =>
        this.logger.error({ err: error }, `Could not remove the contents of project ${id}`),
      );
    }
  }

  private async removeContent(projectId: number): Promise<void> {
    for (const step of REMOVAL_STEPS) {
      for (const remove of this.removers.get(step) ?? []) {
        await this.work.inBatches(BATCH, (limit) =>
          this.transactions.run((manager) => remove(manager, projectId, limit)),
        );
      }
    }
    if (this.work.isStopping) return;
    await this.transactions.run((manager) => this.projects.removeDeleted(manager, projectId));
  }
}
