import { Injectable, Logger } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { NotificationReason } from '../../comments/notification-reason';
import { NotificationsService } from '../../comments/notifications.service';
import { insertRow } from '../../database/rows';
import { affectedRows } from '../../database/statements';
import { NoResourceError } from '../../errors/domain-errors';
import { ProjectsService } from '../../projects/projects.service';
import { type DueEndpoint } from './delivery';
import { WebhookHealth } from './entities/webhook-health.entity';
import { WebhookSettings } from './webhook-settings';

/** How one attempt ended, as far as the receiver's health goes. */
export interface Outcome {
  isSuccess: boolean;
  /** The receiver answered 410: it wants no more. */
  isGone: boolean;
}

interface HealthRow {
  failures: number;
  failingSince: number | null;
  pausedUntil: number;
  pauses: number;
}

/**
 * Keeps an eye on receivers: after failures in a row the circuit opens and lets one attempt through at growing intervals;
 * after days of nothing but failures, or a 410, the webhook is disabled. What is due meanwhile stays.
 */
@Injectable()
export class EndpointHealthService {
  private readonly logger = new Logger(EndpointHealthService.name);

  constructor(
    private readonly settings: WebhookSettings,
    private readonly projects: ProjectsService,
    private readonly notifications: NotificationsService,
  ) {}

  /** Starts the record of a new webhook. */
  async create(manager: EntityManager, webhookId: number): Promise<void> {
    await insertRow(manager, WebhookHealth, {
      webhookId,
      enabled: true,
      failures: 0,
      failingSince: null,
      pausedUntil: 0,
      pauses: 0,
    });
  }

  /** Ends the record of a webhook that is deleted: without one, nothing is due. */
  async remove(manager: EntityManager, webhookId: number): Promise<void> {
    await manager.query('DELETE FROM webhook_health WHERE webhook_id = ?', [webhookId]);
  }

  /** Takes the one attempt that a paused endpoint is let through with; false when another process has. */
  async takeProbe(manager: EntityManager, endpoint: DueEndpoint, until: number): Promise<boolean> {
    const taken = await affectedRows(
      manager,
      'UPDATE webhook_health SET paused_until = ? WHERE webhook_id = ? AND paused_until = ?',
      [until, endpoint.webhookId, endpoint.pausedUntil],
    );
    return taken === 1;
  }

  /** Lets the next attempt through in place of one that has not been made. */
  async giveProbeBack(manager: EntityManager, endpoint: DueEndpoint): Promise<void> {
    if (endpoint.pausedUntil === 0) return;
    await manager.query(
      'UPDATE webhook_health SET paused_until = ? WHERE webhook_id = ? AND paused_until > ?',
      [endpoint.pausedUntil, endpoint.webhookId, endpoint.pausedUntil],
    );
  }

  /** Notes how attempts at one endpoint ended, in order. */
  async record(manager: EntityManager, endpoint: DueEndpoint, outcomes: readonly Outcome[]): Promise<void> {
    const trailingFailures = outcomes.length - 1 - outcomes.findLastIndex((outcome) => outcome.isSuccess);
    if (trailingFailures < outcomes.length) await this.recordSuccess(manager, endpoint.webhookId);
    if (trailingFailures > 0) await this.recordFailures(manager, endpoint, trailingFailures);
    // Whatever else was answered in the meantime.
    if (outcomes.some((outcome) => outcome.isGone)) await this.disable(manager, endpoint, true);
  }

  /** Forgets what has failed, so that what is kept goes out at once. */
  async reset(manager: EntityManager, webhookId: number): Promise<void> {
    await manager.query(
      `UPDATE webhook_health SET enabled = ?, failures = 0, failing_since = NULL, paused_until = 0, pauses = 0
        WHERE webhook_id = ?`,
      [true, webhookId],
    );
  }

  /**
   * Whether the webhook is enabled.
   * @throws NoResourceError when it has just been deleted
   */
  async isEnabled(manager: EntityManager, webhookId: number): Promise<boolean> {
    const [row] = await manager.query<{ enabled: number | boolean }[]>(
      'SELECT enabled FROM webhook_health WHERE webhook_id = ?',
      [webhookId],
    );
    if (!row) throw new NoResourceError('webhook');
    return Boolean(row.enabled);
  }

  private async recordSuccess(manager: EntityManager, webhookId: number): Promise<void> {
    await manager.query(
      `UPDATE webhook_health SET failures = 0, failing_since = NULL, paused_until = 0, pauses = 0
        WHERE webhook_id = ? AND (failures > 0 OR paused_until > 0)`,
      [webhookId],
    );
  }

  private async recordFailures(manager: EntityManager, endpoint: DueEndpoint, count: number): Promise<void> {
    const now = Date.now();
    await manager.query(
      `UPDATE webhook_health SET failures = failures + ?, failing_since = COALESCE(failing_since, ?)
        WHERE webhook_id = ?`,
      [count, now, endpoint.webhookId],
    );
    const [health] = await manager.query<HealthRow[]>(
      `SELECT failures, failing_since AS failingSince, paused_until AS pausedUntil, pauses
         FROM webhook_health WHERE webhook_id = ?`,
      [endpoint.webhookId],
    );
    if (!health) return;
    if (now - (health.failingSince ?? now) >= this.settings.disableAfter) {
      await this.disable(manager, endpoint, false);
    } else if (health.failures >= this.settings.circuitFailures) {
      await this.pause(manager, endpoint, health, now);
    }
  }

  /** Opens the circuit. Attempts that were under way when it opened do not open it further. */
  private async pause(
    manager: EntityManager,
    endpoint: DueEndpoint,
    health: HealthRow,
    now: number,
  ): Promise<void> {
    const isProbe = endpoint.pausedUntil > 0;
    if (health.pausedUntil > now && !isProbe) return;
    const { circuitPauses } = this.settings;
    const pause = circuitPauses[Math.min(health.pauses, circuitPauses.length - 1)] ?? 0;
    // Never 0, which would say that the circuit is closed.
    await manager.query(
      'UPDATE webhook_health SET paused_until = ?, pauses = pauses + 1 WHERE webhook_id = ?',
      [now + pause, endpoint.webhookId],
    );
  }

  private async disable(manager: EntityManager, endpoint: DueEndpoint, isGone: boolean): Promise<void> {
    const disabled = await affectedRows(
      manager,
      'UPDATE webhook_health SET enabled = ? WHERE webhook_id = ? AND enabled = ?',
      [false, endpoint.webhookId, true],
    );
    if (disabled === 0) return;
    const reason = isGone ? 'its receiver answered 410 Gone' : 'its receiver has failed for too long';
    const text = `Webhook ${endpoint.webhookId} is disabled: ${reason}. What is due is kept; enable it to send it.`;
    const administrators = await this.projects.getAdministratorIds(manager, endpoint.projectId);
    await this.notifications.add(manager, administrators, {
      projectId: endpoint.projectId,
      threadId: null,
      senderId: null,
      reason: NotificationReason.Other,
      text,
    });
    this.logger.warn(text);
  }
}
