import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { BackgroundService } from '../background/background.service';
import { type BackgroundWork } from '../background/background-work';
import { Environment } from '../config/environment';
import { TransactionsService } from '../database/transactions/transactions.service';
import { ActivityRepository } from './data/activity.repository';
import { ActivityTextRepository } from './data/activity-text.repository';
import { textPeriodAt } from './text-period';

const DAY_MS = 24 * 60 * 60_000;
const INTERVAL_MS = 60 * 60_000;
/** Number of activities, or of texts, removed in one transaction. */
const BATCH = 200;
/** By how much the order of ids may differ from that of the times at which activities were written, at most. */
const DISORDER_MS = DAY_MS;

/**
 * Returns those of the activities that are still needed.
 * @param manager of the transaction that removes the others
 * @param ids of activities that are old enough to be removed
 */
export type ActivityHolder = (manager: EntityManager, ids: readonly number[]) => Promise<readonly number[]>;

/**
 * Removes activities after their retention period in small transactions, and then the texts to which no remaining activity
 * refers (`docs/decisions/0052-retention.md`).
 */
@Injectable()
export class ActivityRetentionService {
  private readonly background: BackgroundWork;
  private readonly holders: ActivityHolder[] = [];

  constructor(
    background: BackgroundService,
    private readonly environment: Environment,
    private readonly activities: ActivityRepository,
    private readonly texts: ActivityTextRepository,
    private readonly transactions: TransactionsService,
  ) {
    this.background = background.add('activity_retention', () => this.removeOld(), {
      intervalMs: INTERVAL_MS,
      failure: 'Could not remove old activities',
    });
  }

  /** Registers a module that keeps activities beyond their retention period. */
  register(holder: ActivityHolder): void {
    this.holders.push(holder);
  }

  /** Removes expired activities with their texts, unless retention is unlimited. */
  async removeOld(now = Date.now()): Promise<void> {
    const { ACTIVITY_DAYS } = this.environment;
    if (ACTIVITY_DAYS === 0) return;
    const before = now - ACTIVITY_DAYS * DAY_MS;
    await this.removeActivities(before);
    await this.removeTexts(before);
  }

  private async removeActivities(before: number): Promise<void> {
    let after = 0;
    await this.background.inBatches(BATCH, async (limit) => {
      const oldest = await this.activities.findOldest(after, limit);
      const old = oldest.filter(({ created }) => created < before).map(({ id }) => id);
      // A newer one among them, such as after a change of the clock, does not end the run.
      if (old.length === 0) return 0;
      await this.transactions.run((manager) => this.removeUnlessHeld(manager, old));
      after = oldest.at(-1)?.id ?? after;
      return oldest.length;
    });
  }

  private async removeUnlessHeld(manager: EntityManager, ids: readonly number[]): Promise<void> {
    await this.activities.lock(manager, ids);
    const held = new Set<number>();
    for (const holder of this.holders) for (const id of await holder(manager, ids)) held.add(id);
    const removable = ids.filter((id) => !held.has(id));
    if (removable.length > 0) await this.activities.remove(manager, removable);
  }

  private async removeTexts(before: number): Promise<void> {
    const end = textPeriodAt(before - DISORDER_MS);
    let after = 0;
    await this.background.inBatches(1, async () => {
      const next = await this.texts.findNextProject(after);
      if (!next) return 0;
      if (next.period < end) await this.removeTextsOf(next.projectId, before);
      after = next.projectId;
      return 1;
    });
  }

  /**
   * Removes the texts of the periods that ended before the project's first activity was written: only activities of the same
   * period refer to them. The texts of a version without periods are older than the first text with one.
   */
  private async removeTextsOf(projectId: number, before: number): Promise<void> {
    const first = await this.activities.findFirstTime(projectId);
    const end = textPeriodAt(Math.min(first ?? before, before) - DISORDER_MS);
    const areOldestFree =
      first === undefined || (await this.texts.hasAny({ projectId, from: 1, before: end }));
    const range = { projectId, from: areOldestFree ? 0 : 1, before: end };
    await this.background.inBatches(BATCH, (limit) =>
      this.transactions.run((manager) => this.texts.removeOlder(manager, range, limit)),
    );
  }
}
