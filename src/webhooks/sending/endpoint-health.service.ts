import { Injectable, Logger } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { Circuit } from '../../deliveries/circuit';
import { InvalidRequestError, NoResourceError } from '../../errors/domain-errors';
import { NotificationReason } from '../../notifications/notification-reason';
import { NotificationsService } from '../../notifications/notifications.service';
import { ProjectsService } from '../../projects/projects.service';
import { type HealthRow, WebhookHealthRepository } from '../data/webhook-health.repository';
import { type DueEndpoint } from './delivery';
import { WebhookSettings } from './webhook-settings';

/** The outcome of one attempt. */
export interface Outcome {
  /** `''` for a success. */
  error: string;
  /** The receiver responded with 410: nothing else must be sent to it. */
  isGone: boolean;
}

/**
 * Tracks the health of receivers. After several consecutive failures the circuit opens and lets one attempt through at growing
 * intervals; after days without a success, or a 410, the webhook is disabled. Due deliveries are kept.
 */
@Injectable()
export class EndpointHealthService {
  private readonly logger = new Logger(EndpointHealthService.name);
  private readonly circuit: Circuit;

  constructor(
    private readonly health: WebhookHealthRepository,
    private readonly settings: WebhookSettings,
    private readonly projects: ProjectsService,
    private readonly notifications: NotificationsService,
    private readonly transactions: TransactionsService,
  ) {
    this.circuit = new Circuit(health, settings);
  }

  /** Creates the health record of a new webhook. */
  create(manager: EntityManager, webhookId: number): Promise<void> {
    return this.health.insert(manager, webhookId);
  }

  /** Returns the health of webhooks by their ids, without those that have been deleted. */
  async findShown(
    webhookIds: readonly number[],
    manager?: EntityManager,
  ): Promise<ReadonlyMap<number, HealthRow>> {
    const rows = await this.health.findShown(webhookIds, manager);
    return new Map(rows.map((row) => [row.webhookId, row]));
  }

  /** Removes the health record of a deleted webhook, to which nothing is due any longer. */
  remove(manager: EntityManager, webhookId: number): Promise<void> {
    return this.health.remove(manager, webhookId);
  }

  /** Takes the one attempt that an open circuit lets through; returns false when another process has taken it. */
  takeProbe(manager: EntityManager, endpoint: DueEndpoint, until: number): Promise<boolean> {
    return this.circuit.takeProbe(manager, endpoint.webhookId, endpoint, until);
  }

  /** Gives back the attempt of an open circuit that was taken but not made. */
  returnProbe(manager: EntityManager, endpoint: DueEndpoint): Promise<void> {
    return this.circuit.returnProbe(manager, endpoint.webhookId, endpoint);
  }

  /** Records the outcomes of attempts at one endpoint, in order. */
  async record(manager: EntityManager, endpoint: DueEndpoint, outcomes: readonly Outcome[]): Promise<void> {
    const now = Date.now();
    const errors = outcomes.map(({ error }) => error);
    const row = await this.circuit.record(manager, endpoint.webhookId, errors, now);
    if (row && now - (row.failingSince ?? now) >= this.settings.disableAfter) {
      await this.disable(manager, endpoint, errors.at(-1) ?? '', false);
    } else if (row) {
      await this.circuit.openIfFailing(manager, endpoint.webhookId, endpoint, row, now);
    }
    // Even if other attempts succeeded in the meantime.
    const gone = outcomes.find((outcome) => outcome.isGone);
    if (gone) await this.disable(manager, endpoint, gone.error, true);
  }

  /** Enables a webhook and clears its failures, so that pending deliveries are sent immediately. */
  reset(manager: EntityManager, webhookId: number): Promise<void> {
    return this.health.reset(manager, webhookId);
  }

  /**
   * Clears the failures of an enabled webhook, which no other transaction disables or deletes until this one ends. Must be the first of its
   * statements, so that the read tells why the webhook is not enabled.
   * @throws InvalidRequestError when the webhook is disabled, NoResourceError when it has just been deleted
   */
  async resetEnabled(manager: EntityManager, webhookId: number): Promise<void> {
    if (await this.health.resetEnabled(manager, webhookId)) return;
    if ((await this.health.isEnabled(manager, webhookId)) === undefined) throw new NoResourceError('webhook');
    throw new InvalidRequestError('The webhook is disabled. Enable it first.');
  }

  private async disable(
    manager: EntityManager,
    endpoint: DueEndpoint,
    error: string,
    isGone: boolean,
  ): Promise<void> {
    if (!(await this.health.disable(manager, endpoint.webhookId, error))) return;
    const reason = isGone ? 'its receiver answered 410 Gone' : 'its receiver has failed for too long';
    const text = `Webhook ${endpoint.webhookId} is disabled: ${reason}. Due deliveries are kept; enable the webhook to send them.`;
    const administrators = await this.projects.getAdministratorIds(manager, endpoint.projectId);
    await this.notifications.add(manager, administrators, {
      projectId: endpoint.projectId,
      threadId: null,
      senderId: null,
      reason: NotificationReason.Other,
      text,
    });
    const { webhookId, projectId } = endpoint;
    this.transactions.afterCommit(manager, () => this.logger.warn({ webhookId, projectId }, text));
  }
}
