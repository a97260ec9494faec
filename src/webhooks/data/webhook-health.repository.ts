import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRow, selectRow, selectRows } from '../../database/sql/rows';
import { affectedRows, type EntityRunner, inList } from '../../database/sql/statements';
import { WebhookHealth } from '../entities/webhook-health.entity';

/** The failures of a receiver. */
export type FailureRow = Pick<WebhookHealth, 'failures' | 'failingSince' | 'pausedUntil' | 'pauses'>;

const SHOWN_PROPERTIES = [
  'webhookId',
  'enabled',
  'failures',
  'failingSince',
  'pausedUntil',
  'reason',
] as const;

/** The health of a webhook's receiver that the API returns. */
export type HealthRow = Pick<WebhookHealth, (typeof SHOWN_PROPERTIES)[number]>;

/** Repository of the health of webhook receivers. */
@Injectable()
export class WebhookHealthRepository {
  constructor(private readonly dataSource: DataSource) {}

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

  /** Returns the failures of a webhook's receiver; undefined when the webhook has been deleted. */
  findFailures(manager: EntityManager, webhookId: number): Promise<FailureRow | undefined> {
    return selectRow(
      manager,
      WebhookHealth,
      ['failures', 'failingSince', 'pausedUntil', 'pauses'],
      'WHERE webhook_id = ?',
      [webhookId],
    );
  }

  /** Enables a webhook and clears its failures. */
  async reset(manager: EntityManager, webhookId: number): Promise<void> {
    await manager.query(
      `UPDATE webhook_health
          SET enabled = ?, failures = 0, failing_since = NULL, paused_until = 0, pauses = 0, reason = ''
        WHERE webhook_id = ?`,
      [true, webhookId],
    );
  }

  /** Clears the failures of a webhook that has any; a disabled one keeps its reason. */
  async clearFailures(manager: EntityManager, webhookId: number): Promise<void> {
    await manager.query(
      `UPDATE webhook_health SET failures = 0, failing_since = NULL, paused_until = 0, pauses = 0,
                                 reason = CASE WHEN enabled = ? THEN '' ELSE reason END
        WHERE webhook_id = ? AND (failures > 0 OR paused_until > 0)`,
      [true, webhookId],
    );
  }

  /**
   * Adds failures, the first of which may be the first since a success.
   * @param error of the last one; a webhook that is already disabled keeps its reason
   */
  async addFailures(
    manager: EntityManager,
    webhookId: number,
    { count, error, now }: { count: number; error: string; now: number },
  ): Promise<void> {
    await manager.query(
      `UPDATE webhook_health SET failures = failures + ?, failing_since = COALESCE(failing_since, ?),
                                 reason = CASE WHEN enabled = ? THEN ? ELSE reason END
        WHERE webhook_id = ?`,
      [count, now, true, error, webhookId],
    );
  }

  /** Opens the circuit of a webhook. */
  async pause(manager: EntityManager, webhookId: number, until: number): Promise<void> {
    await manager.query(
      'UPDATE webhook_health SET paused_until = ?, pauses = pauses + 1 WHERE webhook_id = ?',
      [until, webhookId],
    );
  }

  /** Moves the end of a pause; returns false when another process has moved it first. */
  async movePause(manager: EntityManager, webhookId: number, from: number, to: number): Promise<boolean> {
    const moved = await affectedRows(
      manager,
      'UPDATE webhook_health SET paused_until = ? WHERE webhook_id = ? AND paused_until = ?',
      [to, webhookId, from],
    );
    return moved === 1;
  }

  /** Shortens a pause, unless it already ends earlier. */
  async shortenPause(manager: EntityManager, webhookId: number, until: number): Promise<void> {
    await manager.query(
      'UPDATE webhook_health SET paused_until = ? WHERE webhook_id = ? AND paused_until > ?',
      [until, webhookId, until],
    );
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
