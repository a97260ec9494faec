import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { AttemptWriter } from './attempt-writer';
import { withTexts } from '../../activities/activity-texts';
import { type ClaimedDelivery, type DueEndpoint, messageIdOf } from './delivery';
import { mayBeSent } from './delivery-rights';
import { DeliveryQueue } from './delivery-queue';
import { retryDelay } from './retry-schedule';
import { sign } from './signature';
import { WakeChannel } from './wake-channel';
import { WebhookSecretsService } from './webhook-secrets.service';
import { type AttemptResult, WebhookSender } from './webhook-sender';
import { WebhookSettings } from './webhook-settings';

/** Endpoints looked at in one turn. */
const ENDPOINTS_PER_TURN = 100;
/** Deliveries held for one endpoint, as a multiple of what it is sent at once. */
const PREFETCH = 8;
/** So many places an endpoint that hangs can hold. */
const FIRST_ALLOWANCE = 1;
/** How long attempts under way are waited for at stop, in milliseconds. */
const STOP_GRACE_MS = 15_000;
/** What is left of a lease when an attempt starts must outlast the attempt by this, in milliseconds. */
const LEASE_MARGIN_MS = 2000;

/** What this process holds for one endpoint. */
interface Lane {
  endpoint: DueEndpoint;
  waiting: ClaimedDelivery[];
  running: number;
  /** Attempts that may run at once: few at first and after a failure, one more with each success. */
  allowance: number;
}

/**
 * Sends what is due. It takes deliveries from the queue in turns, a share for each endpoint, sends them side by side, and
 * has what came of them written down. An endpoint that hangs holds its own few places and nobody else's.
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
  private pollTimer?: NodeJS.Timeout;
  private isStarted = false;
  private isStopping = false;

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly writer: AttemptWriter,
    private readonly sender: WebhookSender,
    private readonly secrets: WebhookSecretsService,
    private readonly settings: WebhookSettings,
    private readonly others: WakeChannel,
  ) {}

  onApplicationBootstrap(): void {
    this.isStarted = true;
    this.others.onHeard(() => this.poll());
    // Room has come free, and somebody may have been waiting for it.
    this.writer.onWritten(() => this.poll());
    this.pollTimer = setInterval(() => {
      void this.refresh();
      this.poll();
    }, this.settings.pollInterval).unref();
    this.poll();
  }

  /** Has due deliveries looked for now, here and by the other processes; called when some have just been committed. */
  wake(): void {
    this.poll();
    this.others.announce();
  }

  /**
   * Has what this process holds for webhooks go where they are now, and lets go of what it holds for those that are gone.
   * Called when one has changed here, and now and then for changes elsewhere.
   */
  async refresh(): Promise<void> {
    const held = [...this.lanes.values()].filter((lane) => lane.waiting.length > 0);
    if (held.length === 0) return;
    try {
      const targets = await this.queue.findTargets(held.map(({ endpoint }) => endpoint.webhookId));
      const byId = new Map(targets.map((target) => [target.webhookId, target]));
      for (const lane of held) {
        const target = byId.get(lane.endpoint.webhookId);
        if (target) lane.endpoint = { ...lane.endpoint, ...target };
        else this.letGo(lane);
      }
    } catch (error) {
      this.logger.error({ err: error }, 'Could not look for changed webhooks');
    }
  }

  private poll(): void {
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

  /** Waits for what is under way, gives the rest back, and sends nothing any more. */
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
   * Takes deliveries for the next endpoints that have some due and are not full. When those that hang have filled what this
   * process holds, each other endpoint still gets one while an attempt can be started.
   */
  private async takeTurn(): Promise<void> {
    const { concurrency } = this.settings;
    const room = Math.max(0, concurrency * 2 - this.running - this.waiting);
    const places = Math.max(room, concurrency - this.running);
    if (places === 0) return;
    const full = [...this.lanes.values()]
      .filter((lane) => room === 0 || this.roomFor(lane.endpoint) === 0)
      .map((lane) => lane.endpoint.webhookId);
    // What the database says of the health of the latter is old: their circuit may be about to open.
    const busy = [...new Set([...full, ...this.writer.endpointsWithUnwrittenFailure()])];
    const endpoints = await this.queue.findDueEndpoints(Date.now(), this.cursor, busy, ENDPOINTS_PER_TURN);
    // Past the last endpoint the next turn starts at the first.
    const wasPartial = this.cursor > 0;
    this.cursor = endpoints.length < ENDPOINTS_PER_TURN ? 0 : (endpoints.at(-1)?.webhookId ?? 0);
    if (endpoints.length === 0) {
      if (wasPartial) this.takeAgain = true;
      return;
    }
    const share = Math.max(1, Math.floor(room / endpoints.length));
    const wanted = endpoints.slice(0, places).map((endpoint) => ({
      endpoint,
      count: Math.min(share, this.roomFor(endpoint)),
    }));
    const claimed = await this.queue.claim(wanted.filter(({ count }) => count > 0));
    this.admit(endpoints, claimed);
    if (claimed.length > 0) this.takeAgain = true;
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

  /** Starts what may start, one attempt for each endpoint in turn. */
  private startAttempts(): void {
    for (const [webhookId, lane] of this.lanes) {
      if (this.isStopping || this.running >= this.settings.concurrency) return;
      if (lane.running < lane.allowance) {
        const delivery = this.nextWaiting(lane);
        if (delivery) {
          lane.running++;
          this.running++;
          void this.attempt(lane, delivery);
          // To the end of the line, where this loop meets it again.
          this.lanes.delete(webhookId);
          this.lanes.set(webhookId, lane);
        }
      }
      if (lane.running === 0 && lane.waiting.length === 0) this.lanes.delete(webhookId);
    }
  }

  /** What has waited so long that its lease could end during the attempt is left for its next taker. */
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
    const result = await this.send(endpoint, delivery, started, number);
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
      // The circuit may open now; what is still due is taken one by one.
      this.letGo(lane);
    }
    lane.running--;
    this.running--;
    this.startAttempts();
  }

  private letGo(lane: Lane): void {
    this.writer.giveBack(lane.waiting);
    this.waiting -= lane.waiting.length;
    lane.waiting = [];
  }

  private async send(
    endpoint: DueEndpoint,
    delivery: ClaimedDelivery,
    started: number,
    number: number,
  ): Promise<AttemptResult> {
    if (!mayBeSent(endpoint, delivery)) {
      return withheld('Not sent: who last changed the webhook may not see what it tells.');
    }
    const body = withTexts(delivery.payload, delivery.texts);
    if (body === undefined) return withheld('Not sent: the project is being removed.');
    let secrets: string[];
    try {
      secrets = await this.secrets.signingSecrets(endpoint);
    } catch (error) {
      // One webhook's trouble must not be another's: it counts as a failed attempt.
      this.logger.error({ err: error }, `Cannot sign for webhook ${endpoint.webhookId}`);
      return { response: '', error: 'The secret cannot be decrypted: is ENCRYPTION_KEY still the same?' };
    }
    const signature = sign(messageIdOf(delivery), Math.floor(started / 1000), body, secrets);
    const headers = { ...signature, 'webhook-attempt': String(number) };
    return this.sender.send(endpoint.hookUrl, body, headers);
  }

  private async giveBackWaiting(): Promise<void> {
    const waiting = [...this.lanes.values()].flatMap((lane) => lane.waiting.splice(0));
    this.waiting = 0;
    try {
      await this.queue.release(waiting);
      if (waiting.length > 0) this.others.announce();
    } catch (error) {
      this.logger.error({ err: error }, 'Could not give deliveries back; their leases run out');
    }
  }

  /** How many deliveries more this process would hold for an endpoint; one that is failing is tried one by one. */
  private roomFor(endpoint: DueEndpoint): number {
    const lane = this.lanes.get(endpoint.webhookId);
    const held = lane ? lane.running + lane.waiting.length : 0;
    const limit = endpoint.failures > 0 ? 1 : this.settings.endpointConcurrency * PREFETCH;
    return Math.max(0, limit - held);
  }
}

const withheld = (error: string): AttemptResult => ({ response: '', error, isWithheld: true });
