import { Injectable } from '@nestjs/common';
import { groupBy } from '../../database/group-by';
import { BacklogRepository } from './data/backlog.repository';
import { WEBHOOK_CONDITIONS, type WebhookCondition } from './webhook-condition';

/** Due deliveries are counted up to this number. */
const MAX_COUNT = 10_000;

/** What waits to be delivered to the webhooks in one condition. */
export interface Backlog {
  webhooks: number;
  /** Deliveries that are due, those that are being sent included; at most 10,000. */
  due: number;
  /** How long the first of them has been due, in milliseconds; 0 without any. */
  oldestAge: number;
}

/** What waits to be delivered to all webhooks of the space. */
@Injectable()
export class DeliveryBacklogService {
  constructor(private readonly backlog: BacklogRepository) {}

  /** Reads the backlog, in a few statements whose cost is bounded. */
  async read(now = Date.now()): Promise<Record<WebhookCondition, Backlog>> {
    const conditions = new Map(
      (await this.backlog.findConditions()).map((row) => [row.webhookCondition, row]),
    );
    const due = groupBy(await this.backlog.findDue(now), ({ webhookCondition }) => webhookCondition);
    const entries = WEBHOOK_CONDITIONS.map(async (name) => {
      const { webhooks = 0, firstAt = null } = conditions.get(name) ?? {};
      const ids = (due.get(name) ?? []).map(({ webhookId }) => webhookId);
      const count = ids.length > 0 ? await this.backlog.countDue(ids, now, MAX_COUNT) : 0;
      return [name, { webhooks, due: count, oldestAge: Math.max(0, now - (firstAt ?? now)) }] as const;
    });
    return Object.fromEntries(await Promise.all(entries)) as Record<WebhookCondition, Backlog>;
  }
}
