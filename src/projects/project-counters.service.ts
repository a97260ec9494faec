import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { isDuplicate } from '../database/database-errors';
import { NoResourceError } from '../errors/domain-errors';
import { type CountLimitName } from '../limits/count-limits';
import { CountLimitsService } from '../limits/count-limits.service';
import { ProjectCounterRepository } from './data/project-counter.repository';

/** What is numbered or limited in a project, as `project_counter` names it. */
const COUNTERS = [
  'issue',
  'issueType',
  'status',
  'webhook',
  'category',
  'version',
  'customField',
  'wiki',
  'document',
  'gitRepository',
  'sharedFile',
] as const satisfies readonly CountLimitName[];

export type CounterName = (typeof COUNTERS)[number];

/** Gives out numbers and enforces limits per project (`docs/decisions/0011-transactions.md`). */
@Injectable()
export class ProjectCountersService {
  constructor(
    private readonly counters: ProjectCounterRepository,
    private readonly limits: CountLimitsService,
  ) {}

  /** Adds the counters of a new project. */
  create(manager: EntityManager, projectId: number): Promise<void> {
    return this.counters.insert(manager, projectId, COUNTERS);
  }

  /**
   * Counts one more, or several, and returns the number of the last one; the first number is 1. Until the transaction ends,
   * nobody else can take a number.
   * @throws ResourceOverflowError when the project would exceed its limit, NoResourceError when it has just been deleted
   */
  async take(manager: EntityManager, projectId: number, name: CounterName, count = 1): Promise<number> {
    const limit = this.limits.of(name);
    if (!(await this.counters.increase(manager, projectId, name, count, limit))) {
      await this.addMissing(manager, projectId, name);
      if (!(await this.counters.increase(manager, projectId, name, count, limit)))
        throw this.limits.overflow(name);
    }
    return (await this.counters.findLastNumber(manager, projectId, name)) as number;
  }

  /** Counts one fewer, or several, which have been removed; their numbers are not given out again. */
  giveBack(manager: EntityManager, projectId: number, name: CounterName, count = 1): Promise<void> {
    return this.counters.decrease(manager, projectId, name, count);
  }

  /** A project that is older than a counter does not have it yet. */
  private async addMissing(manager: EntityManager, projectId: number, name: CounterName): Promise<void> {
    const isCounted = await this.counters.has(manager, projectId, name);
    if (isCounted === undefined) throw new NoResourceError('project');
    if (isCounted) throw this.limits.overflow(name);
    try {
      await this.counters.insert(manager, projectId, [name]);
    } catch (error) {
      // Another request was first.
      if (!isDuplicate(error)) throw error;
    }
  }
}
