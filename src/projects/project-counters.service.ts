import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { isDuplicate } from '../database/database-errors';
import { NoResourceError, ResourceOverflowError } from '../errors/domain-errors';
import { ProjectCounterRepository } from './data/project-counter.repository';

/** What is numbered or limited in a project: its name in `project_counter`, its name in a sentence, and its limit. */
export const COUNTERS = {
  issue: { label: 'issues', limit: 2 ** 31 - 1 },
  issueType: { label: 'issue types', limit: 100 },
  status: { label: 'statuses', limit: 12 },
  webhook: { label: 'webhooks', limit: 100 },
  category: { label: 'categories', limit: 500 },
  version: { label: 'versions', limit: 500 },
  wiki: { label: 'wiki pages', limit: 5000 },
  gitRepository: { label: 'git repositories', limit: 100 },
} as const;

export type CounterName = keyof typeof COUNTERS;

/** Gives out numbers and enforces limits per project (`docs/decisions/0011-transactions.md`). */
@Injectable()
export class ProjectCountersService {
  constructor(private readonly counters: ProjectCounterRepository) {}

  /** Adds the counters of a new project. */
  create(manager: EntityManager, projectId: number): Promise<void> {
    return this.counters.insert(manager, projectId, Object.keys(COUNTERS));
  }

  /**
   * Counts one more, or several, and returns the number of the last one; the first number is 1. Until the transaction ends,
   * nobody else can take a number.
   * @throws ResourceOverflowError when the project would exceed its limit, NoResourceError when it has just been deleted
   */
  async take(manager: EntityManager, projectId: number, name: CounterName, count = 1): Promise<number> {
    const { limit } = COUNTERS[name];
    if (!(await this.counters.increase(manager, projectId, name, count, limit))) {
      await this.addMissing(manager, projectId, name);
      if (!(await this.counters.increase(manager, projectId, name, count, limit))) throw overflow(name);
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
    if (isCounted) throw overflow(name);
    try {
      await this.counters.insert(manager, projectId, [name]);
    } catch (error) {
      // Another request was first.
      if (!isDuplicate(error)) throw error;
    }
  }
}

const overflow = (name: CounterName): ResourceOverflowError => new ResourceOverflowError(limitMessage(name));

/** The limit of a counter in a sentence, for responses and the documentation. */
export const limitMessage = (name: CounterName): string =>
  `A project can have at most ${COUNTERS[name].limit} ${COUNTERS[name].label}.`;
