import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { maySeeActivity } from '../../activities/activity-rights';
import { type ActivityType } from '../../activities/activity-type';
import { findTexts } from '../../activities/data/activity-text.repository';
import { withTexts } from '../../activities/text-references';
import { AuditLogService } from '../../audit-log/audit-log.service';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { NoResourceError } from '../../errors/domain-errors';
import { Page } from '../../paging/page';
import { type AuthorizedSearcher } from '../../access/access';
import { type AuditedCaller, type Caller } from '../../access/caller';
import { WebhookRepository } from '../data/webhook.repository';
import { type WebhookResource } from '../webhook.loader';
import { DeliveryRepository, type DeliveryRow } from '../data/delivery.repository';
import { readsManyDeliveries } from '../data/visible-deliveries';
import { DeliveryAttemptRepository } from '../data/delivery-attempt.repository';
import { type WebhookEvent } from '../entities/webhook-event.entity';
import { DELIVERY_STATES } from '../../deliveries/delivery-state';
import { type DeliveryResource } from './delivery.loader';
import { toAttemptDto, toDeliveryDto } from './delivery.mapper';
import { DispatcherService } from '../sending/dispatcher.service';
import { type ListDeliveriesQuery, type RedeliverDto } from '../dto/delivery-requests.dto';
import { type DeliveryDetailDto, type DeliveryDto } from '../dto/delivery.dto';
import { EndpointHealthService } from '../sending/endpoint-health.service';
import { OutboxService } from '../outbox/outbox.service';
import { sampleContent } from '../outbox/sample-content';

const MAX_ATTEMPTS_SHOWN = 100;
/** Deliveries restarted in one transaction. */
const REDELIVERY_BATCH = 500;

/** Lists deliveries and sends them again. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly deliveries: DeliveryRepository,
    private readonly attempts: DeliveryAttemptRepository,
    private readonly transactions: TransactionsService,
    private readonly outbox: OutboxService,
    private readonly health: EndpointHealthService,
    private readonly dispatcher: DispatcherService,
    private readonly webhooks: WebhookRepository,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Returns one page of the deliveries of a webhook that the caller may see.
   * @throws the guard's error when the caller loses their permissions while a long list is read
   */
  async list(
    webhook: WebhookResource,
    caller: Caller,
    query: ListDeliveriesQuery,
    searcher: AuthorizedSearcher,
  ): Promise<Page<DeliveryDto>> {
    const filter = {
      state: query.state && DELIVERY_STATES[query.state],
      since: query.since?.getTime(),
      until: query.until?.getTime(),
      activityTypes: query.activityTypeId,
    };
    const isLong = readsManyDeliveries(caller, filter, query.offset);
    const page = await this.deliveries.findPage(
      webhook,
      caller,
      filter,
      query,
      isLong ? searcher : undefined,
    );
    const rows = isLong ? visibleTo(await searcher.authorizeAgain(), page.items) : page.items;
    return new Page(rows.map(toDeliveryDto), page.next);
  }

  /**
   * Returns a delivery with its attempts.
   * @throws NoResourceError when it has just been removed
   */
  async get({ deliveryId }: DeliveryResource): Promise<DeliveryDetailDto> {
    const row = await this.getRow(deliveryId);
    const payload = withTexts(row.payload, await findTexts(this.dataSource, [row.payload]));
    if (payload === undefined) throw new NoResourceError('delivery');
    const latest = await this.attempts.findLatest(row.id, MAX_ATTEMPTS_SHOWN);
    if (!latest) throw new NoResourceError('delivery');
    return {
      ...toDeliveryDto({ ...row, ...latest.progress }),
      payload,
      attempts: latest.attempts.reverse().map(toAttemptDto),
    };
  }

  /**
   * Sends a delivery again, from the start of the schedule and with the same `webhook-id`.
   * @throws InvalidRequestError when the webhook is disabled
   */
  async redeliver({ deliveryId, ...webhook }: DeliveryResource): Promise<DeliveryDto> {
    await this.transactions.run(async (manager) => {
      await this.health.resetEnabled(manager, webhook.id);
      await this.deliveries.restart(manager, [deliveryId], Date.now());
      this.transactions.afterCommit(manager, () => this.dispatcher.wake());
    });
    return toDeliveryDto(await this.getRow(deliveryId));
  }

  /**
   * Resends all deliveries of a time range that the caller may see, and returns their number. Works in batches, so that no
   * transaction grows with the range. Deliveries restarted before the client has gone are sent.
   * @throws InvalidRequestError when the webhook is disabled, and the guard's error when the caller loses their permissions meanwhile
   */
  async redeliverRange(
    webhook: WebhookResource,
    caller: Caller,
    { since, until, state }: RedeliverDto,
    searcher: AuthorizedSearcher,
  ): Promise<number> {
    const filter = {
      state: DELIVERY_STATES[state],
      since: since.getTime(),
      until: until?.getTime() ?? Date.now(),
    };
    let count = 0;
    let after = 0;
    for (;;) {
      const slice = { after, limit: REDELIVERY_BATCH };
      const found = await this.deliveries.findVisibleIds(webhook, caller, filter, slice, searcher);
      await searcher.authorizeAgain();
      // Only the threads of the embedded database end a search when its client goes.
      searcher.signal.throwIfAborted();
      count += await this.transactions.run(async (manager) => {
        await this.health.resetEnabled(manager, webhook.id);
        this.transactions.afterCommit(manager, () => this.dispatcher.wake());
        return found.length > 0 ? this.deliveries.restart(manager, found, Date.now(), filter.state) : 0;
      });
      if (found.length < REDELIVERY_BATCH) return count;
      after = found.at(-1) as number;
    }
  }

  /**
   * Sends a sample of an activity type.
   * @throws InvalidRequestError when the webhook is disabled
   */
  async test(webhook: WebhookResource, caller: Caller, type: ActivityType): Promise<DeliveryDto> {
    const id = await this.transactions.run(async (manager) => {
      await this.health.resetEnabled(manager, webhook.id);
      return this.outbox.enqueue(
        manager,
        {
          id: null,
          projectId: webhook.projectId,
          type,
          content: sampleContent(type),
          author: caller,
          created: Date.now(),
        },
        [webhook.id],
      );
    });
    return toDeliveryDto(await this.getRow(id));
  }

  /**
   * Enables a webhook and sends its pending deliveries.
   * @throws NoResourceError when it has just been deleted
   */
  async enable(webhook: WebhookResource, caller: AuditedCaller): Promise<void> {
    await this.transactions.run(async (manager) => {
      await this.health.reset(manager, webhook.id);
      await this.deliveries.expedite(manager, webhook.id, Date.now());
      const name = (await this.webhooks.find(webhook.id, manager))?.name;
      if (name === undefined) throw new NoResourceError('webhook');
      await this.auditLog.record(manager, caller, {
        action: 'webhook.enable',
        subject: { id: webhook.id, name },
        projectId: webhook.projectId,
      });
      this.transactions.afterCommit(manager, () => this.dispatcher.wake());
    });
  }

  private async getRow(id: number): Promise<DeliveryRow & Pick<WebhookEvent, 'payload'>> {
    const row = await this.deliveries.find(id);
    if (!row) throw new NoResourceError('delivery');
    return row;
  }
}

/** Returns the deliveries that a caller may still see, like `visibleDeliveries`. */
const visibleTo = (caller: Caller, rows: readonly DeliveryRow[]): DeliveryRow[] =>
  rows.filter(({ activityId, activityType }) => activityId === null || maySeeActivity(caller, activityType));
