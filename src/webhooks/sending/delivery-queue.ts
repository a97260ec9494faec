import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { findTexts } from '../../activities/data/activity-text.repository';
import { groupBy } from '../../database/sql/group-by';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { type AttemptOutcome, attemptsRecorded } from '../../diagnostics/channels';
import { LimitedLogger } from '../../logging/limited-logger';
import { DeliveryAttemptRepository } from '../data/delivery-attempt.repository';
import { WebhookRepository } from '../data/webhook.repository';
import { DeliveryLeaseRepository, type SettledDelivery } from '../data/delivery-lease.repository';
import { type ClaimedDelivery, type DueEndpoint, type FinishedAttempt } from './delivery';
import { EndpointHealthService, type Outcome } from './endpoint-health.service';
import { type AttemptResult } from './webhook-sender';
import { WebhookSettings } from './webhook-settings';

/**
 * Queue of the deliveries in the database, shared by any number of processes. A process holds a delivery by a lease; when the
 * lease expires, any process may take the delivery.
 */
@Injectable()
export class DeliveryQueue {
  private readonly logger = new LimitedLogger(new Logger(DeliveryQueue.name));

  constructor(
    private readonly leases: DeliveryLeaseRepository,
    private readonly attempts: DeliveryAttemptRepository,
    private readonly transactions: TransactionsService,
    private readonly health: EndpointHealthService,
    private readonly settings: WebhookSettings,
    private readonly webhooks: WebhookRepository,
  ) {}

  /** Leases up to `count` due deliveries for each endpoint. An endpoint with an open circuit gets one, in only one process. */
  claim(wanted: readonly { target: DueEndpoint; count: number }[]): Promise<ClaimedDelivery[]> {
    const token = randomUUID();
    return this.transactions.run(async (manager) => {
      const now = Date.now();
      const until = now + this.settings.lease;
      const ids: number[] = [];
      for (const { target: endpoint, count } of wanted) {
        const isProbe = endpoint.pausedUntil > 0;
        if (isProbe && !(await this.health.takeProbe(manager, endpoint, until))) continue;
        const limit = isProbe ? 1 : count;
        ids.push(...(await this.leases.findDueIds(manager, endpoint.webhookId, now, limit)));
      }
      if (ids.length === 0) return [];
      await this.leases.lease(manager, ids, { token, now, until });
      const claimed = await this.leases.findLeased(manager, ids, token);
      const texts = await findTexts(
        manager,
        claimed.map(({ payload }) => payload),
      );
      return claimed.map((delivery) => ({ ...delivery, texts }));
    });
  }

  /**
   * Records attempts, and their consequences for the deliveries and endpoints, in one transaction.
   * @returns whether some of the deliveries have been restarted
   */
  async finish(attempts: readonly FinishedAttempt[]): Promise<boolean> {
    const { written, hasRestarted } = await this.transactions.run(async (manager) => {
      const { existing, hasRestarted } = await this.settle(manager, attempts);
      if (existing.length > 0) await this.writeLog(manager, existing);
      const webhookIds = new Set(attempts.map(({ target }) => target.webhookId));
      const addresses = await this.webhooks.holdAddresses(manager, [...webhookIds]);
      for (const [endpoint, outcomes] of outcomesByEndpoint(attempts, addresses)) {
        if (outcomes.length > 0) await this.health.record(manager, endpoint, outcomes);
        else await this.health.returnProbe(manager, endpoint);
      }
      return { written: existing, hasRestarted };
    });
    for (const attempt of written) this.report(attempt);
    return hasRestarted;
  }

  /** Releases deliveries that were claimed but not attempted. */
  async release(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    await this.transactions.run(async (manager) => {
      for (const [token, group] of groupBy(deliveries, (delivery) => delivery.leaseToken)) {
        const ids = group.map((delivery) => delivery.id);
        await this.leases.release(manager, token, ids);
      }
    });
  }

  /** Updates the deliveries and returns the attempts whose delivery still exists, and whether some have been restarted. */
  private async settle(
    manager: EntityManager,
    attempts: readonly FinishedAttempt[],
  ): Promise<{ existing: FinishedAttempt[]; hasRestarted: boolean }> {
    const now = Date.now();
    const delivered = attempts.filter((attempt) => attempt.result.error === '');
    for (const [token, group] of groupBy(delivered, (attempt) => attempt.delivery.leaseToken)) {
      await this.leases.complete(manager, token, idsOf(group), now);
    }
    for (const { delivery, result, retryDelay } of attempts) {
      if (result.error === '') continue;
      const { id, leaseToken } = delivery;
      const nextAt = retryDelay === undefined ? undefined : now + retryDelay;
      await this.leases.postpone(manager, { id, leaseToken, nextAt }, now);
    }
    // Locked until their log is written: the log of a delivery removed before that would fail the whole batch.
    const settled = await this.leases.lockSettled(manager, idsOf(attempts));
    const hasRestarted = await this.grantRestarts(manager, settled, now);
    const ids = new Set(settled.map(({ id }) => id));
    return { existing: attempts.filter((attempt) => ids.has(attempt.delivery.id)), hasRestarted };
  }

  /**
   * Restarts the deliveries for which this was requested during their lease, so that at least one attempt begins after the request.
   * Whether the recorded attempt already did is unknown, because the clocks of two processes differ.
   */
  private async grantRestarts(
    manager: EntityManager,
    settled: readonly SettledDelivery[],
    now: number,
  ): Promise<boolean> {
    const requested = settled.filter(({ restartRequested }) => restartRequested !== null);
    if (requested.length === 0) return false;
    await this.leases.grantRestart(
      manager,
      requested.map(({ id }) => id),
      now,
    );
    return true;
  }

  /** Releases what earlier processes held, where none of them can be alive. */
  async releaseAbandoned(): Promise<void> {
    await this.transactions.run((manager) => this.leases.releaseAbandoned(manager));
  }

  /** Publishes an attempt, and logs a failure after which its delivery is not retried. */
  private report({ delivery, target, result, retryDelay, duration }: FinishedAttempt): void {
    const isGivenUp = result.error !== '' && retryDelay === undefined;
    attemptsRecorded.publish({ outcome: outcomeOf(result), duration, isGivenUp });
    if (!isGivenUp) return;
    const { id: deliveryId, webhookId, attempt } = delivery;
    const details = { deliveryId, webhookId, projectId: target.projectId, attempts: attempt + 1 };
    this.logger.warn({ ...details, error: result.error }, 'A delivery has failed permanently');
  }

  private writeLog(manager: EntityManager, attempts: readonly FinishedAttempt[]): Promise<void> {
    const rows = attempts.map(({ delivery, started, duration, result }) => ({
      deliveryId: delivery.id,
      number: delivery.attempt + 1,
      started,
      duration,
      status: result.status ?? null,
      response: result.response,
      error: result.error,
    }));
    return this.attempts.insert(manager, rows);
  }
}

function outcomeOf({ error, status, isWithheld }: AttemptResult): AttemptOutcome {
  if (error === '') return 'delivered';
  if (isWithheld) return 'withheld';
  return status === undefined ? 'unanswered' : 'refused';
}

const idsOf = (attempts: readonly FinishedAttempt[]): number[] =>
  attempts.map((attempt) => attempt.delivery.id);

/** Groups the outcomes by endpoint, in order; empty for an endpoint to whose current address nothing was sent. */
function outcomesByEndpoint(
  attempts: readonly FinishedAttempt[],
  addresses: ReadonlyMap<number, string>,
): Map<DueEndpoint, Outcome[]> {
  const outcomes = new Map<DueEndpoint, Outcome[]>();
  for (const [webhookId, group] of groupBy(attempts, (attempt) => attempt.target.webhookId)) {
    const made = group.filter(
      ({ result, target }) => !result.isWithheld && target.hookUrl === addresses.get(webhookId),
    );
    const { target } = (made.at(-1) ?? group.at(-1)) as FinishedAttempt;
    outcomes.set(
      target,
      made.map(({ result: { error, status } }) => ({ error, isGone: status === 410 })),
    );
  }
  return outcomes;
}
