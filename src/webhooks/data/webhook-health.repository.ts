import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRow, selectRow, selectRows } from '../../database/sql/rows';
import { affectedRows, type EntityRunner, inList } from '../../database/sql/statements';
import { Circuits } from '../../deliveries/data/circuits';
import { WebhookHealth } from '../entities/webhook-health.entity';

const SHOWN_PROPERTIES = [
  'webhookId',
  'enabled',
  'failures',
  'failingSince',
  'pausedUntil',
  'reason',
] as const;

const WITHOUT_FAILURES = 'failures = 0, failing_since = NULL, paused_until = 0, pauses = 0';

/** The health of a webhook's receiver that the API returns. */
export type HealthRow = Pick<WebhookHealth, (typeof SHOWN_PROPERTIES)[number]>;

/** Repository of the health of webhook receivers. A webhook that is disabled keeps its reason. */
@Injectable()
export class WebhookHealthRepository extends Circuits {
  constructor(private readonly dataSource: DataSource) {
    super({ table: 'webhook_health', key: 'webhook_id', isReasonOfFailures: 'enabled = 1' });
  }

  /** Returns the health of the receivers of webhooks that have not been deleted. */
  findShown(webhookIds: readonly number[], runner: EntityRunner = this.dataSource): Promise<HealthRow[]> {
    const list = inList(webhookIds);
    return selectRows(
      runner,
      WebhookHealth,
      SHOWN_PROPERTIES,
      `WHERE webhook_id ${list.sql}`,
      list.parameters,
    );
  }

  /** Inserts the row of a new webhook: enabled, without failures. */
  async insert(manager: EntityManager, webhookId: number): Promise<void> {
    await insertRow(manager, WebhookHealth, {
      webhookId,
      enabled: true,
      failures: 0,
      failingSince: null,
      pausedUntil: 0,
      pauses: 0,
      reason: '',
    });
  }

  /** Removes the row of a webhook. */
  async remove(manager: EntityManager, webhookId: number): Promise<void> {
    await manager.query('DELETE FROM webhook_health WHERE webhook_id = ?', [webhookId]);
  }

  /** Whether a webhook is enabled; undefined when it has been deleted. */
  async isEnabled(manager: EntityManager, webhookId: number): Promise<boolean | undefined> {
    return (await selectRow(manager, WebhookHealth, ['enabled'], 'WHERE webhook_id = ?', [webhookId]))
      ?.enabled;
  }

  /** Enables a webhook and clears its failures. */
  async reset(manager: EntityManager, webhookId: number): Promise<void> {
    await manager.query(
      `UPDATE webhook_health SET enabled = ?, ${WITHOUT_FAILURES}, reason = '' WHERE webhook_id = ?`,
      [true, webhookId],
    );
  }

  /** Clears the failures of a webhook that is enabled; returns false for any other. */
  async resetEnabled(manager: EntityManager, webhookId: number): Promise<boolean> {
    const reset = await affectedRows(
      manager,
      `UPDATE webhook_health SET ${WITHOUT_FAILURES}, reason = '' WHERE webhook_id = ? AND enabled = ?`,
      [webhookId, true],
    );
    return reset > 0;
  }

  /** Disables a webhook; returns false when it is already disabled. */
  async disable(manager: EntityManager, webhookId: number, reason: string): Promise<boolean> {
    const disabled = await affectedRows(
      manager,
      'UPDATE webhook_health SET enabled = ?, reason = ? WHERE webhook_id = ? AND enabled = ?',
      [false, reason, webhookId, true],
    );
    return disabled > 0;
  }
}
