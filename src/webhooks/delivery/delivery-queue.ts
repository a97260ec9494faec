import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { findTexts } from '../../activities/activity-texts';
import { insertRows } from '../../database/rows';
import { affectedRows, inList, placeholders, selectForUpdate } from '../../database/statements';
import { TransactionsService } from '../../database/transactions.service';
import { isDeveloper } from '../../users/developer-condition';
import {
  type ClaimedDelivery,
  type DueEndpoint,
  type EndpointTarget,
  type FinishedAttempt,
} from './delivery';
import { DeliveryState } from './delivery-state';
import { EndpointHealthService, type Outcome } from './endpoint-health.service';
import { WebhookDeliveryAttempt } from './entities/webhook-delivery-attempt.entity';
import { WebhookSettings } from './webhook-settings';

/** What one INSERT of attempts holds at most: a character can take three bytes, and MySQL's packets 16 MiB. */
const MAX_CHUNK_CHARACTERS = 1024 * 1024;
const MAX_CHUNK_ROWS = 200;

const TARGET_COLUMNS = `w.id AS webhookId, w.hook_url AS hookUrl, w.secret AS secret,
  w.previous_secrets AS previousSecrets, ${isDeveloper('w.updated_user_id')} AS ownerIsDeveloper`;

/**
 * The deliveries in the database as a queue that any number of processes take from. Who gets a row is decided by one
 * conditional UPDATE that sets a lease token on it; a lease that runs out is anybody's again, and every later change names
 * the token, so that a late holder changes nothing.
 */
@Injectable()
export class DeliveryQueue {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TransactionsService,
    private readonly health: EndpointHealthService,
    private readonly settings: WebhookSettings,
  ) {}

  /**
   * Webhooks that are enabled, not paused, and have a due delivery that nobody holds; one index look-up for each.
   * @param after only those with a larger id, so that many can be gone through in turns
   * @param busy ids that are left out
   */
  findDueEndpoints(
    now: number,
    after: number,
    busy: readonly number[],
    limit: number,
  ): Promise<DueEndpoint[]> {
    const others = busy.length > 0 ? `AND h.webhook_id NOT IN (${placeholders(busy)})` : '';
    return this.dataSource.query<DueEndpoint[]>(
      `SELECT ${TARGET_COLUMNS}, w.project_id AS projectId, h.failures AS failures, h.paused_until AS pausedUntil
         FROM webhook_health h JOIN webhook w ON w.id = h.webhook_id
        WHERE h.enabled = ? AND h.paused_until <= ? AND h.webhook_id > ? ${others}
          AND EXISTS (SELECT 1 FROM webhook_delivery d
                       WHERE d.webhook_id = h.webhook_id AND d.state = ? AND d.next_at <= ? AND d.lease_until <= ?)
        ORDER BY h.webhook_id LIMIT ?`,
      [true, now, after, ...busy, DeliveryState.Pending, now, now, limit],
    );
  }

  /** Those of the webhooks that have not been deleted, as they are now. */
  findTargets(webhookIds: readonly number[]): Promise<EndpointTarget[]> {
    const list = inList(webhookIds);
    return this.dataSource.query<EndpointTarget[]>(
      `SELECT ${TARGET_COLUMNS} FROM webhook w WHERE w.deleted = 0 AND w.id ${list.sql}`,
      list.parameters,
    );
  }

  /**
   * Takes up to `count` due deliveries for each endpoint. An endpoint whose circuit was open gets one, and only one process
   * gets to try it.
   */
  claim(wanted: readonly { endpoint: DueEndpoint; count: number }[]): Promise<ClaimedDelivery[]> {
    const leaseToken = randomUUID();
    return this.transactions.run(async (manager) => {
      const now = Date.now();
      const ids: number[] = [];
      for (const { endpoint, count } of wanted) {
        const isProbe = endpoint.pausedUntil > 0;
        if (isProbe && !(await this.health.takeProbe(manager, endpoint, now + this.settings.lease))) continue;
        ids.push(...(await this.dueIds(manager, endpoint.webhookId, now, isProbe ? 1 : count)));
      }
      if (ids.length === 0) return [];
      await manager.query(
        `UPDATE webhook_delivery SET lease_token = ?, lease_until = ?
          WHERE id IN (${placeholders(ids)}) AND state = ? AND next_at <= ? AND lease_until <= ?`,
        [leaseToken, now + this.settings.lease, ...ids, DeliveryState.Pending, now, now],
      );
      const claimed = await manager.query<Omit<ClaimedDelivery, 'texts'>[]>(
        `SELECT d.id AS id, d.webhook_id AS webhookId, d.attempt AS attempt, d.lease_token AS leaseToken,
                d.lease_until AS leaseUntil, d.message_id AS messageId, e.activity_id AS activityId,
                e.activity_type AS activityType, e.payload AS payload
           FROM webhook_delivery d JOIN webhook_event e ON e.id = d.event_id
          WHERE d.id IN (${placeholders(ids)}) AND d.lease_token = ? ORDER BY d.id`,
        [...ids, leaseToken],
      );
      const texts = await findTexts(
        manager,
        claimed.map(({ payload }) => payload),
      );
      return claimed.map((delivery) => ({ ...delivery, texts }));
    });
  }

  /** Writes attempts down with what follows from them for their deliveries and endpoints, in one transaction. */
  async finish(attempts: readonly FinishedAttempt[]): Promise<void> {
    await this.transactions.run(async (manager) => {
      const held = await this.settle(manager, attempts);
      if (held.length > 0) await this.writeLog(manager, held);
      for (const [endpoint, outcomes] of outcomesByEndpoint(attempts)) {
        if (outcomes.length > 0) await this.health.record(manager, endpoint, outcomes);
        else await this.health.giveProbeBack(manager, endpoint);
      }
    });
  }

  /** Gives deliveries back that were taken and not tried. */
  async release(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    await this.transactions.run(async (manager) => {
      for (const [leaseToken, group] of groupBy(deliveries, (delivery) => delivery.leaseToken)) {
        await manager.query(
          `UPDATE webhook_delivery SET lease_token = NULL, lease_until = 0
            WHERE lease_token = ? AND id IN (${placeholders(group)})`,
          [leaseToken, ...group.map((delivery) => delivery.id)],
        );
      }
    });
  }

  private async dueIds(
    manager: EntityManager,
    webhookId: number,
    now: number,
    count: number,
  ): Promise<number[]> {
    const rows = await manager.query<{ id: number }[]>(
      `SELECT id FROM webhook_delivery
        WHERE webhook_id = ? AND state = ? AND next_at <= ? AND lease_until <= ? ORDER BY next_at, id LIMIT ?`,
      [webhookId, DeliveryState.Pending, now, now, count],
    );
    return rows.map((row) => row.id);
  }

  /** Moves the deliveries on; gives the attempts whose delivery still exists. */
  private async settle(
    manager: EntityManager,
    attempts: readonly FinishedAttempt[],
  ): Promise<readonly FinishedAttempt[]> {
    const now = Date.now();
    const delivered = attempts.filter((attempt) => attempt.result.error === '');
    for (const [leaseToken, group] of groupBy(delivered, (attempt) => attempt.delivery.leaseToken)) {
      await manager.query(
        `UPDATE webhook_delivery
            SET state = ?, attempt = attempt + 1, finished = ?, lease_token = NULL, lease_until = 0
          WHERE lease_token = ? AND id IN (${placeholders(group)})`,
        [DeliveryState.Delivered, now, leaseToken, ...group.map((attempt) => attempt.delivery.id)],
      );
    }
    for (const { delivery, result, retryDelay } of attempts) {
      if (result.error === '') continue;
      const isLast = retryDelay === undefined;
      await affectedRows(
        manager,
        `UPDATE webhook_delivery
            SET state = ?, attempt = attempt + 1, next_at = ?, finished = ?, lease_token = NULL, lease_until = 0
          WHERE id = ? AND lease_token = ?`,
        [
          isLast ? DeliveryState.Failed : DeliveryState.Pending,
          now + (retryDelay ?? 0),
          isLast ? now : null,
          delivery.id,
          delivery.leaseToken,
        ],
      );
    }
    const ids = attempts.map((attempt) => attempt.delivery.id);
    // Kept until their log is written: one that is just being removed would take the whole batch along.
    const rows = await selectForUpdate<{ id: number }>(
      manager,
      `SELECT id FROM webhook_delivery WHERE id IN (${placeholders(ids)})`,
      ids,
    );
    const existing = new Set(rows.map((row) => row.id));
    return attempts.filter((attempt) => existing.has(attempt.delivery.id));
  }

  private async writeLog(manager: EntityManager, attempts: readonly FinishedAttempt[]): Promise<void> {
    const rows = attempts.map(({ delivery, started, duration, result }) => ({
      deliveryId: delivery.id,
      number: delivery.attempt + 1,
      started,
      duration,
      status: result.status ?? null,
      response: result.response,
      error: result.error,
    }));
    for (const chunk of chunksOf(rows, (row) => row.response.length)) {
      await insertRows(manager, WebhookDeliveryAttempt, chunk);
    }
  }
}

/** What happened at each endpoint, in order; nothing where nothing was sent. */
function outcomesByEndpoint(attempts: readonly FinishedAttempt[]): Map<DueEndpoint, Outcome[]> {
  const endpoints = new Map(attempts.map(({ endpoint }) => [endpoint.webhookId, endpoint]));
  const outcomes = new Map<DueEndpoint, Outcome[]>();
  for (const [webhookId, group] of groupBy(attempts, (attempt) => attempt.endpoint.webhookId)) {
    const made = group.filter(({ result }) => !result.isWithheld);
    outcomes.set(
      endpoints.get(webhookId) as DueEndpoint,
      made.map(({ result }) => ({ isSuccess: result.error === '', isGone: result.status === 410 })),
    );
  }
  return outcomes;
}

/** Parts of a list that one statement takes: no server accepts any length of it. */
function chunksOf<Item>(items: readonly Item[], sizeOf: (item: Item) => number): Item[][] {
  const chunks: Item[][] = [];
  let size = Infinity;
  for (const item of items) {
    size += sizeOf(item);
    const last = chunks.at(-1);
    if (!last || size > MAX_CHUNK_CHARACTERS || last.length >= MAX_CHUNK_ROWS) {
      chunks.push([item]);
      size = sizeOf(item);
    } else {
      last.push(item);
    }
  }
  return chunks;
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
