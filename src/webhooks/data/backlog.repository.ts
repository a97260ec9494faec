import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inList } from '../../database/sql/statements';
import { type WebhookCondition } from '../log/webhook-condition';
import { DeliveryState } from '../../deliveries/delivery-state';

/** Maximum number of webhooks examined; in a space with more, only the oldest ones count. */
const MAX_WEBHOOKS = 10_000;
/** Maximum number of webhooks for which due deliveries are counted. */
const MAX_COUNTED_WEBHOOKS = 500;

/** The webhooks in one condition. */
export interface ConditionRow {
  webhookCondition: WebhookCondition;
  webhooks: number;
  /** When their first delivery is or was due; null without one. */
  firstAt: number | null;
}

/** SQL for the condition of a webhook from its row `h` of `webhook_health`: a circuit stays open until an attempt succeeds. */
const CONDITION = `CASE WHEN h.enabled = 0 THEN 'disabled' WHEN h.paused_until > 0 THEN 'paused' ELSE 'active' END`;

/** Statistics of due deliveries. Every statement reads a bounded number of rows by an index. */
@Injectable()
export class BacklogRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the number of webhooks in each condition; one index look-up per webhook. */
  findConditions(): Promise<ConditionRow[]> {
    return this.dataSource.query<ConditionRow[]>(
      `SELECT w.webhook_condition AS webhookCondition, COUNT(*) AS webhooks, MIN(w.first_at) AS firstAt
         FROM (SELECT ${CONDITION} AS webhook_condition,
                      (SELECT d.next_at FROM webhook_delivery d
                        WHERE d.webhook_id = h.webhook_id AND d.state = ? ORDER BY d.next_at LIMIT 1) AS first_at
                 FROM webhook_health h ORDER BY h.webhook_id LIMIT ${MAX_WEBHOOKS}) w
        GROUP BY w.webhook_condition`,
      [DeliveryState.Pending],
    );
  }

  /** Returns the webhooks with due deliveries, and their condition. */
  findDue(now: number): Promise<{ webhookId: number; webhookCondition: WebhookCondition }[]> {
    return this.dataSource.query(
      `SELECT h.webhook_id AS webhookId, ${CONDITION} AS webhookCondition FROM webhook_health h
        WHERE EXISTS (SELECT 1 FROM webhook_delivery d
                       WHERE d.webhook_id = h.webhook_id AND d.state = ? AND d.next_at <= ?)
        ORDER BY h.webhook_id LIMIT ${MAX_COUNTED_WEBHOOKS}`,
      [DeliveryState.Pending, now],
    );
  }

  /** Counts the due deliveries of webhooks, up to a limit. */
  async countDue(webhookIds: readonly number[], now: number, limit: number): Promise<number> {
    const list = inList(webhookIds);
    const [row] = await this.dataSource.query<[{ count: number }]>(
      `SELECT COUNT(*) AS count
         FROM (SELECT d.id FROM webhook_delivery d
                WHERE d.webhook_id ${list.sql} AND d.state = ? AND d.next_at <= ? LIMIT ${limit}) due`,
      [...list.parameters, DeliveryState.Pending, now],
    );
    return row.count;
  }
}
