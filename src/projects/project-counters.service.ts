import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isDuplicate } from '../database/connections/database-errors';
import { TransactionsService } from '../database/transactions/transactions.service';
import { NoResourceError } from '../errors/domain-errors';
import { CountLimitsService } from '../limits/count-limits.service';
import { declared, type DeclaredNames } from '../manifests';
import { ProjectCounterRepository } from './data/project-counter.repository';
import { type ProjectScope } from './data/project-scope';

/** The name of a numbered or limited resource of a project in `project_counter`. */
export type CounterName = DeclaredNames<'counters'>;

/** Assigns numbers and enforces limits per project (`docs/decisions/0011-transactions.md`). */
@Injectable()
export class ProjectCountersService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TransactionsService,
    private readonly counters: ProjectCounterRepository,
    private readonly limits: CountLimitsService,
  ) {}

  /** Adds the counters of a new project. */
  create(manager: EntityManager, projectId: number): Promise<void> {
    return this.counters.insert(manager, projectId, Object.keys(declared('counters')));
  }

  /** Adds the counters that a project of an import lacks, all at zero. Nothing else uses the project yet. */
  async createMissing(manager: EntityManager, projectId: number): Promise<void> {
    const existing = new Set(await this.counters.findNames(manager, projectId));
    const missing = Object.keys(declared('counters')).filter((name) => !existing.has(name));
    if (missing.length > 0) await this.counters.insert(manager, projectId, missing);
  }

  /**
   * Increments a counter by `count` and returns the last number; the first number is 1. No other transaction can take a number
   * until this one ends.
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

  /** Decrements a counter after `count` resources have been removed; their numbers are not reused. */
  giveBack(manager: EntityManager, projectId: number, name: CounterName, count = 1): Promise<void> {
    return this.counters.decrease(manager, projectId, name, count);
  }

  /** Returns how many resources the projects of a scope have. */
  sum(name: CounterName, scope: ProjectScope): Promise<number> {
    return this.counters.sum(this.dataSource, name, scope);
  }

  /**
   * Sets a counter to its correct value, and moves its last number forward if rows have higher ones.
   * @param count counts the rows, whose number does not change until the transaction ends
   * @returns false if the counter was right, or the project is deleted
   */
  correct(
    projectId: number,
    name: CounterName,
    count: (manager: EntityManager) => Promise<{ used: number; atLeast: number }>,
  ): Promise<boolean> {
    return this.transactions.run(async (manager) => {
      let counter = await this.counters.lock(manager, projectId, name);
      if (!counter) {
        if ((await this.counters.has(manager, projectId, name)) === undefined) return false;
        await this.counters.insert(manager, projectId, [name]);
        counter = { used: 0, lastNumber: 0 };
      }
      const { used, atLeast } = await count(manager);
      const lastNumber = Math.max(counter.lastNumber, atLeast);
      if (counter.used === used && counter.lastNumber === lastNumber) return false;
      await this.counters.set(manager, projectId, name, { used, lastNumber });
      return true;
    });
  }

  /** Adds a counter to a project that is older than the counter. */
  private async addMissing(manager: EntityManager, projectId: number, name: CounterName): Promise<void> {
    const isCounted = await this.counters.has(manager, projectId, name);
    if (isCounted === undefined) throw new NoResourceError('project');
    if (isCounted) throw this.limits.overflow(name);
    try {
      await this.counters.insert(manager, projectId, [name]);
    } catch (error) {
      // Another request added it first.
      if (!isDuplicate(error)) throw error;
    }
  }
}
