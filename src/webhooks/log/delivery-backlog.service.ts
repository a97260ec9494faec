import { Injectable } from '@nestjs/common';
import { groupBy } from '../../database/sql/group-by';
import { BacklogRepository } from '../data/backlog.repository';
import { WEBHOOK_CONDITIONS, type WebhookCondition } from './webhook-condition';

/** Maximum number of due deliveries that are counted. */
const MAX_COUNT = 10_000;

/** The due deliveries of the webhooks in one condition. */
export interface Backlog {
  webhooks: number;
  /** Due deliveries, including those being sent; at most 10,000. */
  due: number;
  /** How long the first of them has been due, in milliseconds; 0 if there are none. */
  oldestAge: number;
}

/** Reads the backlog of all webhooks of the space. */
@Injectable()
export class DeliveryBacklogService {
  constructor(private readonly backlog: BacklogRepository) {}

  /** Reads the backlog in a few statements of bounded cost. */
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
