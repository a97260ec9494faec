import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type ActivityType } from '../../activities/activity-type';
import { findTexts, withTexts } from '../../activities/activity-texts';
import { idPage } from '../../database/list-page';
import { affectedRows, placeholders } from '../../database/statements';
import { TransactionsService } from '../../database/transactions.service';
import { InvalidRequestError, NoResourceError } from '../../errors/domain-errors';
import { Page } from '../../paging/page';
import { type Caller } from '../../access/caller';
import { type WebhookResource } from '../webhook.loader';
import { DELIVERY_STATES, DeliveryState } from './delivery-state';
import { type AttemptRow, type DeliveryRow, toAttemptDto, toDeliveryDto } from './delivery.mapper';
import { DELIVERY_TABLES, visibleDeliveries } from './delivery-rights';
import { type DeliveryResource } from './delivery.loader';
import { DispatcherService } from './dispatcher.service';
import { type ListDeliveriesQuery, type RedeliverDto } from './dto/delivery-requests.dto';
import { type DeliveryDetailDto, type DeliveryDto } from './dto/delivery.dto';
import { EndpointHealthService } from './endpoint-health.service';
import { OutboxService } from './outbox.service';
import { sampleContent } from './sample-content';

const DELIVERY_COLUMNS = `d.id AS id, d.webhook_id AS webhookId, e.activity_id AS activityId,
  e.activity_type AS activityType, d.message_id AS messageId, d.state AS state, d.attempt AS attempt, d.next_at AS nextAt,
  d.created AS created, d.finished AS finished`;
const MAX_ATTEMPTS_SHOWN = 100;
/** Deliveries put on their way again in one transaction. */
const REDELIVERY_BATCH = 500;

/** What was sent to webhooks, and sending it again. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TransactionsService,
    private readonly outbox: OutboxService,
    private readonly health: EndpointHealthService,
    private readonly dispatcher: DispatcherService,
  ) {}

  /** One page of a webhook's deliveries, of those that the caller may see. */
  async list(
    webhook: WebhookResource,
    caller: Caller,
    query: ListDeliveriesQuery,
  ): Promise<Page<DeliveryDto>> {
    const conditions = visibleDeliveries(webhook, caller)
      .addIf(query.state && DELIVERY_STATES[query.state], 'd.state = ?')
      .addIf(query.since && Date.parse(query.since), 'd.created >= ?')
      .addIf(query.until && Date.parse(query.until), 'd.created < ?')
      .inIfAny('e.activity_type', query.activityTypeId);
    const page = await idPage<DeliveryRow>(
      this.dataSource,
      { select: DELIVERY_COLUMNS, from: DELIVERY_TABLES, conditions },
      query,
      'd.id',
    );
    return new Page(page.items.map(toDeliveryDto), page.next);
  }

  /**
   * One delivery with its attempts.
   * @throws NoResourceError when it has just been removed
   */
  async get({ deliveryId }: DeliveryResource): Promise<DeliveryDetailDto> {
    const row = await this.getRow(deliveryId);
    const payload = withTexts(row.payload, await findTexts(this.dataSource, [row.payload]));
    if (payload === undefined) throw new NoResourceError('delivery');
    const attempts = await this.dataSource.query<AttemptRow[]>(
      `SELECT number, started, duration, status, response, error FROM webhook_delivery_attempt
        WHERE delivery_id = ? ORDER BY id DESC LIMIT ?`,
      [row.id, MAX_ATTEMPTS_SHOWN],
    );
    return {
      ...toDeliveryDto(row),
      payload,
      attempts: attempts.reverse().map(toAttemptDto),
    };
  }

  /**
   * Puts a delivery on its way again, from the start of the schedule and with the same `webhook-id`.
   * @throws InvalidRequestError when the webhook is disabled
   */
  async redeliver({ deliveryId, ...webhook }: DeliveryResource): Promise<DeliveryDto> {
    await this.transactions.run(async (manager) => {
      await this.requireEnabled(manager, webhook.id);
      await this.restart(manager, [deliveryId]);
      await this.health.reset(manager, webhook.id);
      this.transactions.afterCommit(manager, () => this.dispatcher.wake());
    });
    return toDeliveryDto(await this.getRow(deliveryId));
  }

  /**
   * The same for all of a time range that the caller may see; gives how many. In batches, so that no transaction grows with the range.
   * @param signal aborted when nobody waits for the answer any more; what has been put on its way stays so
   * @throws InvalidRequestError when the webhook is disabled
   */
  async redeliverRange(
    webhook: WebhookResource,
    caller: Caller,
    { since, until, state }: RedeliverDto,
    signal: AbortSignal,
  ): Promise<number> {
    const end = until === undefined ? Date.now() : Date.parse(until);
    let count = 0;
    let after = 0;
    for (;;) {
      signal.throwIfAborted();
      const batch = await this.transactions.run(async (manager) => {
        await this.requireEnabled(manager, webhook.id);
        const conditions = visibleDeliveries(webhook, caller)
          .add('d.id > ?', after)
          .add('d.state = ?', DELIVERY_STATES[state])
          .add('d.created >= ? AND d.created < ?', Date.parse(since), end);
        const rows = await manager.query<{ id: number }[]>(
          `SELECT d.id AS id FROM ${DELIVERY_TABLES} ${conditions.where} ORDER BY d.id LIMIT ?`,
          [...conditions.parameters, REDELIVERY_BATCH],
        );
        const found = rows.map((row) => row.id);
        const restarted = found.length > 0 ? await this.restart(manager, found) : 0;
        await this.health.reset(manager, webhook.id);
        this.transactions.afterCommit(manager, () => this.dispatcher.wake());
        return { found, restarted };
      });
      count += batch.restarted;
      if (batch.found.length < REDELIVERY_BATCH) return count;
      after = batch.found.at(-1) as number;
    }
  }

  /**
   * Sends a sample of an activity type.
   * @throws InvalidRequestError when the webhook is disabled
   */
  async test(webhook: WebhookResource, caller: Caller, type: ActivityType): Promise<DeliveryDto> {
    const id = await this.transactions.run(async (manager) => {
      await this.requireEnabled(manager, webhook.id);
      await this.health.reset(manager, webhook.id);
      return this.outbox.enqueue(
        manager,
        {
          id: null,
          projectId: webhook.projectId,
          type,
          content: sampleContent(type),
          createdUserId: caller.id,
          created: Date.now(),
        },
        [webhook.id],
      );
    });
    return toDeliveryDto(await this.getRow(id));
  }

  /** Enables a webhook, and sends what was kept for it. */
  async enable(webhook: WebhookResource): Promise<void> {
    await this.transactions.run(async (manager) => {
      await this.health.reset(manager, webhook.id);
      await manager.query(
        'UPDATE webhook_delivery SET next_at = ? WHERE webhook_id = ? AND state = ? AND next_at > ?',
        [Date.now(), webhook.id, DeliveryState.Pending, Date.now()],
      );
      this.transactions.afterCommit(manager, () => this.dispatcher.wake());
    });
  }

  private async getRow(id: number): Promise<DeliveryRow & { payload: string }> {
    const [row] = await this.dataSource.query<(DeliveryRow & { payload: string })[]>(
      `SELECT ${DELIVERY_COLUMNS}, e.payload AS payload FROM ${DELIVERY_TABLES} WHERE d.id = ?`,
      [id],
    );
    if (!row) throw new NoResourceError('delivery');
    return row;
  }

  /** One that is under way is left to whoever holds it: it is being sent already. */
  private async restart(manager: EntityManager, ids: readonly number[]): Promise<number> {
    const now = Date.now();
    return affectedRows(
      manager,
      `UPDATE webhook_delivery SET state = ?, attempt = 0, next_at = ?, finished = NULL
        WHERE id IN (${placeholders(ids)}) AND lease_until <= ?`,
      [DeliveryState.Pending, now, ...ids, now],
    );
  }

  private async requireEnabled(manager: EntityManager, webhookId: number): Promise<void> {
    if (!(await this.health.isEnabled(manager, webhookId))) {
      throw new InvalidRequestError('The webhook is disabled. Enable it first.');
    }
  }
}
