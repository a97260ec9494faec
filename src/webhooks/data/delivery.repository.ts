import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller } from '../../access/caller';
import { unindexedListRunner } from '../../database/search/searches';
import { Conditions } from '../../database/sql/conditions';
import { continuesCondition } from '../../database/sql/contains';
import { idPage } from '../../database/sql/list-page';
import { insertRows } from '../../database/sql/rows';
import { changeInSlices } from '../../database/sql/slices';
import {
  affectedRows,
  columnsOf,
  forWrite,
  inList,
  isEmbedded,
  type StatementRunner,
} from '../../database/sql/statements';
import { type Requester } from '../../event-loop/user-turns';
import { type IdPaging, Page } from '../../paging/page';
import { type WebhookResource } from '../webhook.loader';
import { DeliveryState } from '../../deliveries/delivery-state';
import { WebhookDelivery } from '../entities/webhook-delivery.entity';
import { type WebhookEvent } from '../entities/webhook-event.entity';
import { type DeliveryFilter, visibleDeliveries } from './visible-deliveries';

const DELIVERY_PROPERTIES = [
  'id',
  'webhookId',
  'messageId',
  'state',
  'attempt',
  'nextAt',
  'created',
  'finished',
] as const;
/** Making as many deliveries due occupies the event loop for a few milliseconds. */
const EXPEDITED_AT_ONCE = 500;

const EVENT_PROPERTIES = ['activityId', 'activityType'] as const;

/** A delivery with the id and the type of its activity. */
export type DeliveryRow = Pick<WebhookDelivery, (typeof DELIVERY_PROPERTIES)[number]> &
  Pick<WebhookEvent, (typeof EVENT_PROPERTIES)[number]>;

/** A delivery that has never been leased. */
export type NewDelivery = Pick<WebhookDelivery, 'eventId' | 'webhookId' | 'messageId' | 'nextAt' | 'created'>;

const DELIVERY_TABLES = 'webhook_delivery d JOIN webhook_event e ON e.id = d.event_id';
const COLUMNS = `${columnsOf('d', DELIVERY_PROPERTIES)}, ${columnsOf('e', EVENT_PROPERTIES)}`;

/** Repository of deliveries, except for sending (see `DeliveryLeaseRepository`). */
@Injectable()
export class DeliveryRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Returns one page of the deliveries that a caller may see, ordered by id.
   * @param searcher who waits for a page that `readsManyDeliveries`; undefined for any other
   */
  async findPage(
    webhook: WebhookResource,
    caller: Caller,
    filter: DeliveryFilter,
    paging: IdPaging,
    searcher?: Requester,
  ): Promise<Page<DeliveryRow>> {
    const { from, conditions } = visibleDeliveries(this.dataSource, webhook, caller, filter);
    const runner = searcher ? this.runnerOf(conditions, searcher) : this.dataSource;
    // Only the ids: what is skipped must not be read with its payload.
    const { items, next } = await idPage<{ id: number }>(
      runner,
      { select: 'd.id AS id', from, conditions },
      paging,
      'd.id',
    );
    return new Page(await this.findRows(items.map(({ id }) => id)), next);
  }

  /**
   * Returns the ids of deliveries that a caller may see, in ascending order. May read the whole log of the webhook.
   * @param after only larger ids
   */
  async findVisibleIds(
    webhook: WebhookResource,
    caller: Caller,
    filter: DeliveryFilter,
    { after, limit }: { after: number; limit: number },
    searcher: Requester,
  ): Promise<number[]> {
    const { from, conditions } = visibleDeliveries(this.dataSource, webhook, caller, filter);
    const runner = this.runnerOf(conditions.add('d.id > ?', after), searcher);
    const rows = await runner.query<{ id: number }[]>(
      `SELECT d.id AS id FROM ${from} ${conditions.where} ORDER BY d.id LIMIT ?`,
      [...conditions.parameters, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Whether a webhook has a delivery that the caller may see. */
  async isVisible(webhook: WebhookResource, caller: Caller, id: number): Promise<boolean> {
    const { from, conditions } = visibleDeliveries(this.dataSource, webhook, caller);
    const { where, parameters } = conditions.add('d.id = ?', id);
    const rows = await this.dataSource.query<unknown[]>(`SELECT d.id FROM ${from} ${where}`, parameters);
    return rows.length > 0;
  }

  /** Returns a delivery with the body of its requests. */
  async find(id: number): Promise<(DeliveryRow & Pick<WebhookEvent, 'payload'>) | undefined> {
    const [row] = await this.dataSource.query<(DeliveryRow & Pick<WebhookEvent, 'payload'>)[]>(
      `SELECT ${COLUMNS}, e.payload AS payload FROM ${DELIVERY_TABLES} WHERE d.id = ?`,
      [id],
    );
    return row;
  }

  /** Inserts pending deliveries and returns the first id. */
  insert(manager: EntityManager, deliveries: readonly NewDelivery[]): Promise<number> {
    const rows = deliveries.map(({ eventId, webhookId, messageId, nextAt, created }) => ({
      eventId,
      webhookId,
      messageId,
      state: DeliveryState.Pending,
      attempt: 0,
      nextAt,
      leaseUntil: 0,
      leaseToken: null,
      restartRequested: null,
      created,
      finished: null,
    }));
    return insertRows(manager, WebhookDelivery, rows);
  }

  /**
   * Makes deliveries pending and due, as if never attempted; returns their number. A leased one keeps its lease, whose end grants
   * the restart, so that two attempts never run at once. An expired lease ends, so that its late holder changes nothing.
   * @param state only those in this state; all if omitted
   */
  restart(
    manager: EntityManager,
    ids: readonly number[],
    now: number,
    state?: DeliveryState,
  ): Promise<number> {
    const { where, parameters } = new Conditions().in('id', ids).addIf(state, 'state = ?');
    const ifLeased = (value: string, otherwise: string): string =>
      `CASE WHEN lease_until > ? THEN ${value} ELSE ${otherwise} END`;
    return affectedRows(
      manager,
      // MySQL assigns from left to right: `lease_until`, on which the others depend, comes last.
      `UPDATE webhook_delivery
          SET state = ?, attempt = 0, next_at = ?, finished = NULL, restart_requested = ${ifLeased('?', 'NULL')},
              lease_token = ${ifLeased('lease_token', 'NULL')}, lease_until = ${ifLeased('lease_until', '0')}
        ${where}`,
      [DeliveryState.Pending, now, now, now, now, now, ...parameters],
    );
  }

  /** Makes all pending deliveries of a webhook due now. */
  async expedite(manager: EntityManager, webhookId: number, now: number): Promise<void> {
    const later = 'webhook_id = ? AND state = ? AND next_at > ?';
    const parameters = [now, webhookId, DeliveryState.Pending, now];
    await changeInSlices(manager, EXPEDITED_AT_ONCE, (limit) => {
      const rows = limit ? `id IN (SELECT id FROM webhook_delivery WHERE ${later}${limit})` : later;
      return affectedRows(manager, `UPDATE webhook_delivery SET next_at = ? WHERE ${rows}`, parameters);
    });
  }

  /** Locks deliveries of webhooks for the rest of the transaction. */
  lockSome(
    manager: EntityManager,
    webhookIds: readonly number[],
    limit: number,
  ): Promise<Pick<WebhookDelivery, 'id' | 'eventId'>[]> {
    const { where, parameters } = new Conditions().in('webhook_id', webhookIds);
    return manager.query(
      `SELECT id, event_id AS eventId FROM webhook_delivery ${where} LIMIT ${limit}${forWrite(manager)}`,
      parameters,
    );
  }

  /** Locks deliveries of events for the rest of the transaction, and returns their ids. */
  async lockSomeOfEvents(
    manager: EntityManager,
    eventIds: readonly number[],
    limit: number,
  ): Promise<number[]> {
    const { where, parameters } = new Conditions().in('event_id', eventIds);
    const rows = await manager.query<{ id: number }[]>(
      `SELECT id FROM webhook_delivery ${where} LIMIT ${limit}${forWrite(manager)}`,
      parameters,
    );
    return rows.map(({ id }) => id);
  }

  /** Removes deliveries with their attempts. */
  async remove(manager: EntityManager, ids: readonly number[]): Promise<void> {
    const list = inList(ids);
    await manager.query(`DELETE FROM webhook_delivery WHERE id ${list.sql}`, list.parameters);
  }

  /** Returns deliveries in the order of their ids in a list, without those that have been removed meanwhile. */
  private async findRows(ids: readonly number[]): Promise<DeliveryRow[]> {
    if (ids.length === 0) return [];
    const list = inList(ids);
    const rows = await this.dataSource.query<DeliveryRow[]>(
      `SELECT ${COLUMNS} FROM ${DELIVERY_TABLES} WHERE d.id ${list.sql}`,
      list.parameters,
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /** Returns the runner of a statement that may read a whole log; on the embedded database, its conditions let it stop early. */
  private runnerOf(conditions: Conditions, searcher: Requester): StatementRunner {
    if (isEmbedded(this.dataSource)) conditions.add(continuesCondition('d.id'));
    return unindexedListRunner(this.dataSource, searcher);
  }
}
