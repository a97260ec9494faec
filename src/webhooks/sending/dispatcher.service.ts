import { AsyncResource } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { groupBy } from '../../database/sql/group-by';
import { AttemptWriter } from './attempt-writer';
import { EndpointRepository } from '../data/endpoint.repository';
import { type ClaimedDelivery, type DueEndpoint } from './delivery';
import { DeliveryQueue } from './delivery-queue';
import { DeliverySender } from './delivery-sender';
import { retryDelay } from './retry-schedule';
import { WakeChannel } from '../outbox/wake-channel';
import { WebhookSettings } from './webhook-settings';

/** Maximum number of endpoints in one turn. */
const ENDPOINTS_PER_TURN = 100;
/** Maximum number of deliveries held for one endpoint, as a multiple of its concurrent requests. */
const PREFETCH = 8;
/** Concurrent attempts allowed at first and after a failure, so that an endpoint that hangs occupies few slots. */
const FIRST_ALLOWANCE = 1;
/** How long to wait for running attempts at shutdown, in milliseconds. */
const STOP_GRACE_MS = 15_000;
/** Minimum time by which a lease must outlast its attempt, in milliseconds. */
const LEASE_MARGIN_MS = 2000;

/** The deliveries that this process holds for one endpoint. */
interface Lane {
  endpoint: DueEndpoint;
  waiting: ClaimedDelivery[];
  running: number;
  /** Maximum number of concurrent attempts: low at first and after a failure, raised by one with each success. */
  allowance: number;
}

/**
 * Sends due deliveries. Claims them from the queue in turns, a share for each endpoint, sends them concurrently, and passes the
 * results on to be recorded. An endpoint that hangs occupies only its own few slots.
 */
@Injectable()
export class DispatcherService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(DispatcherService.name);
  private readonly lanes = new Map<number, Lane>();
  private running = 0;
  private waiting = 0;
  private cursor = 0;
  private taking?: Promise<void>;
  private takeAgain = false;
  /** Whether the last turn may have left due deliveries: for lack of room, or of endpoints with unwritten failures. */
  private hasLeftSome = false;
  private pollTimer?: NodeJS.Timeout;
  private isStarted = false;
  private isStopping = false;

  /** Looks for due deliveries outside the async context of the triggering request, so that they are not part of its trace. */
  private readonly poll = AsyncResource.bind(() => this.startTurns());

  constructor(
    private readonly endpoints: EndpointRepository,
    private readonly queue: DeliveryQueue,
    private readonly writer: AttemptWriter,
    private readonly sender: DeliverySender,
    private readonly settings: WebhookSettings,
    private readonly others: WakeChannel,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.queue.releaseAbandoned().catch((error: unknown) => {
      this.logger.error(
        { err: error },
        'Could not release the deliveries of an earlier process; their leases will expire',
      );
    });
    this.isStarted = true;
    this.others.onHeard(() => this.poll());
    // A write frees capacity that another endpoint may be waiting for.
    this.writer.onWritten((isMoreDue) => {
      if (isMoreDue || this.hasLeftSome) this.poll();
    });
    this.pollTimer = setInterval(() => {
      void this.refresh();
      this.poll();
    }, this.settings.pollInterval).unref();
    this.poll();
  }

  /** Makes this process and the others look for due deliveries; called when new ones have been committed. */
  wake(): void {
    this.poll();
    this.others.announce();
  }

  /**
   * Updates the addresses of held deliveries to the current ones of their webhooks, and releases those of deleted webhooks.
   * Called when a webhook has changed in this process, and periodically for changes in others.
   */
  async refresh(): Promise<void> {
    const held = [...this.lanes.values()].filter((lane) => lane.waiting.length > 0);
    if (held.length === 0) return;
    try {
      const targets = await this.endpoints.findTargets(held.map(({ endpoint }) => endpoint.webhookId));
      const byId = new Map(targets.map((target) => [target.webhookId, target]));
      for (const lane of held) {
        const target = byId.get(lane.endpoint.webhookId);
        if (target) lane.endpoint = { ...lane.endpoint, ...target };
        else this.releaseLane(lane);
      }
    } catch (error) {
      this.logger.error({ err: error }, 'Could not look for changed webhooks');
    }
  }

  private startTurns(): void {
    if (!this.isStarted || this.isStopping) return;
    if (this.taking) {
      this.takeAgain = true;
      return;
    }
    this.taking = this.takeTurns()
      .catch((error: unknown) => this.logger.error({ err: error }, 'Could not look for due deliveries'))
      .finally(() => {
        this.taking = undefined;
      });
  }

  /** Stops sending: releases deliveries that have not started, and waits for running attempts. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.pollTimer);
    await this.taking;
    await this.giveBackWaiting();
    const end = Date.now() + STOP_GRACE_MS;
    while (this.running > 0 && Date.now() < end) await sleep(20);
    await this.writer.settle();
  }

  private async takeTurns(): Promise<void> {
    do {
      this.takeAgain = false;
      await this.takeTurn();
    } while (this.isTurnWanted());
  }

  private isTurnWanted(): boolean {
    return this.takeAgain && !this.isStopping;
  }

  /**
   * Claims deliveries for the next endpoints that have due ones and spare capacity. When hanging endpoints have used up the
   * capacity of this process, every other endpoint still gets one delivery as long as an attempt can start.
   */
  private async takeTurn(): Promise<void> {
    this.hasLeftSome = true;
    const { concurrency } = this.settings;
    const room = Math.max(0, concurrency * 2 - this.running - this.waiting);
    const places = Math.max(room, concurrency - this.running);
    if (places === 0) return;
    const full = [...this.lanes.values()]
      .filter((lane) => room === 0 || this.roomFor(lane.endpoint) === 0)
      .map((lane) => lane.endpoint.webhookId);
    // The stored health of endpoints with an unwritten failure is outdated: their circuit may be about to open.
    const busy = [...new Set([...full, ...this.writer.endpointsWithUnwrittenFailure()])];
    const endpoints = await this.endpoints.findDue(Date.now(), this.cursor, busy, ENDPOINTS_PER_TURN);
    // After the last endpoint, the next turn starts with the first.
    const wasPartial = this.cursor > 0;
    this.cursor = endpoints.length < ENDPOINTS_PER_TURN ? 0 : (endpoints.at(-1)?.webhookId ?? 0);
    if (endpoints.length === 0) {
      if (wasPartial) this.takeAgain = true;
      this.hasLeftSome = wasPartial || busy.length > 0;
      return;
    }
    const share = Math.max(1, Math.floor(room / endpoints.length));
    const wanted = endpoints.slice(0, places).map((endpoint) => ({
      endpoint,
      count: Math.min(share, this.roomFor(endpoint)),
    }));
    const claimed = await this.queue.claim(wanted.filter(({ count }) => count > 0));
    this.admit(endpoints, claimed);
    const byEndpoint = groupBy(claimed, ({ webhookId }) => webhookId);
    this.hasLeftSome =
      wasPartial ||
      this.cursor > 0 ||
      busy.length > 0 ||
      wanted.length < endpoints.length ||
      // An endpoint that got fewer than it could take has no others that are due.
      wanted.some(({ endpoint, count }) => (byEndpoint.get(endpoint.webhookId)?.length ?? 0) >= count);
    if (claimed.length > 0 && this.hasLeftSome) this.takeAgain = true;
  }

  private admit(endpoints: readonly DueEndpoint[], claimed: readonly ClaimedDelivery[]): void {
    const byId = new Map(endpoints.map((endpoint) => [endpoint.webhookId, endpoint]));
    for (const delivery of claimed) {
      const endpoint = byId.get(delivery.webhookId) as DueEndpoint;
      let lane = this.lanes.get(delivery.webhookId);
      if (!lane) {
        lane = { endpoint, waiting: [], running: 0, allowance: FIRST_ALLOWANCE };
        this.lanes.set(delivery.webhookId, lane);
      }
      lane.endpoint = endpoint;
      lane.waiting.push(delivery);
      this.waiting++;
    }
    this.startAttempts();
  }

  /** Starts as many attempts as allowed, one for each endpoint in turn. */
  private startAttempts(): void {
    for (const [webhookId, lane] of this.lanes) {
      if (this.isStopping || this.running >= this.settings.concurrency) return;
      if (lane.running < lane.allowance) {
        const delivery = this.nextWaiting(lane);
        if (delivery) {
          lane.running++;
          this.running++;
          void this.attempt(lane, delivery);
          // Moved to the end of the map, where this loop reaches it again.
          this.lanes.delete(webhookId);
          this.lanes.set(webhookId, lane);
        }
      }
      if (lane.running === 0 && lane.waiting.length === 0) this.lanes.delete(webhookId);
    }
  }

  /** Returns the next delivery with a lease that outlasts an attempt; skipped deliveries are claimed again later. */
  private nextWaiting(lane: Lane): ClaimedDelivery | undefined {
    for (;;) {
      const delivery = lane.waiting.shift();
      if (!delivery) return undefined;
      this.waiting--;
      if (delivery.leaseUntil - Date.now() >= this.settings.timeout + LEASE_MARGIN_MS) return delivery;
    }
  }

  private async attempt(lane: Lane, delivery: ClaimedDelivery): Promise<void> {
    const { endpoint } = lane;
    const started = Date.now();
    const number = delivery.attempt + 1;
    const result = await this.sender.send(endpoint, delivery, started, number);
    const now = Date.now();
    const delay =
      result.error === '' || result.isWithheld
        ? undefined
        : retryDelay(
            this.settings.retries,
            { number, status: result.status, retryAfter: result.retryAfter },
            now,
          );
    this.writer.add({ delivery, endpoint, started, duration: now - started, result, retryDelay: delay });
    if (result.error === '') {
      lane.allowance = Math.min(lane.allowance + 1, this.settings.endpointConcurrency);
    } else if (!result.isWithheld) {
      lane.allowance = FIRST_ALLOWANCE;
      // The circuit may open now; from here on, deliveries are claimed one by one.
      this.releaseLane(lane);
    }
    lane.running--;
    this.running--;
    this.startAttempts();
  }

  private releaseLane(lane: Lane): void {
    this.writer.giveBack(lane.waiting);
    this.waiting -= lane.waiting.length;
    lane.waiting = [];
  }

  private async giveBackWaiting(): Promise<void> {
    const waiting = [...this.lanes.values()].flatMap((lane) => lane.waiting.splice(0));
    this.waiting = 0;
    try {
      await this.queue.release(waiting);
      if (waiting.length > 0) this.others.announce();
    } catch (error) {
      this.logger.error({ err: error }, 'Could not release deliveries; their leases will expire');
    }
  }

  /** Returns how many more deliveries this process may hold for an endpoint; a failing endpoint gets one in total. */
  private roomFor(endpoint: DueEndpoint): number {
    const lane = this.lanes.get(endpoint.webhookId);
    const held = lane ? lane.running + lane.waiting.length : 0;
    const limit = endpoint.failures > 0 ? 1 : this.settings.endpointConcurrency * PREFETCH;
    return Math.max(0, limit - held);
  }
}
