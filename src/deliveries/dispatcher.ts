import { AsyncResource } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { groupBy } from '../database/sql/group-by';
import { loopTurns } from '../event-loop/loop-turns';
import { type AttemptStore, AttemptWriter } from './attempt-writer';
import {
  type Attempted,
  type DeliveryResult,
  type DueTarget,
  isFailureOfTarget,
  type Leased,
} from './delivery';
import { retryDelay, type RetryPolicy } from './retry-schedule';
import { type WakeChannel } from './wake-channel';

/** Maximum number of targets in one turn. */
const TARGETS_PER_TURN = 100;
/** How long to wait for running attempts at shutdown, in milliseconds. */
const STOP_GRACE_MS = 15_000;
/** Minimum time by which a lease must outlast its attempt, in milliseconds. */
export const LEASE_MARGIN_MS = 2000;

/** The queue of the deliveries in the database, shared by any number of processes. A process holds a delivery by a lease. */
export interface DispatchQueue<Target, Delivery, Result> extends AttemptStore<
  Attempted<Target, Delivery, Result>,
  Delivery
> {
  /** Leases up to `count` due deliveries for each target; one for a target with an open circuit. */
  claim(wanted: readonly { target: Target; count: number }[]): Promise<Delivery[]>;
  /** Releases what earlier processes held, where none of them can be alive. */
  releaseAbandoned(): Promise<void>;
}

/** The settings of a dispatcher, with all times in milliseconds. */
export interface DispatchSettings {
  /** Maximum duration of an attempt. */
  readonly timeout: number;
  readonly retries: RetryPolicy;
  /** Concurrent attempts in this process. */
  readonly concurrency: number;
  /** Concurrent attempts for one target in this process. */
  readonly targetConcurrency: number;
  /** Concurrent attempts for one target at first and after a failure: if it hangs, it should leave some to others. */
  readonly firstAllowance: number;
  /** Maximum number of deliveries held for one target, as a multiple of its concurrent attempts. */
  readonly prefetch: number;
  readonly pollInterval: number;
  /** How long finished attempts are collected before they are written. */
  readonly gather: number;
}

/** The deliveries that this process holds for one target. */
interface Lane<Target, Delivery> {
  target: Target;
  waiting: Delivery[];
  running: number;
  /** Maximum number of concurrent attempts: low at first and after a failure, raised by one with each success. */
  allowance: number;
}

/**
 * Sends due deliveries. Claims them from the queue in turns, a share for each target, sends them concurrently, and passes the
 * results on to be recorded. A target that hangs occupies only its own few slots.
 */
export abstract class Dispatcher<
  Target extends DueTarget,
  Delivery extends Leased,
  Result extends DeliveryResult,
>
  implements OnApplicationBootstrap, BeforeApplicationShutdown
{
  private readonly logger = new Logger(this.constructor.name);
  private readonly lanes = new Map<number, Lane<Target, Delivery>>();
  private readonly writer: AttemptWriter<Target, Delivery, Result>;
  private running = 0;
  private waiting = 0;
  private cursor = 0;
  /** Number of times that targets have changed in this process. A read of targets during which it grows is repeated. */
  private changes = 0;
  private taking?: Promise<void>;
  private takeAgain = false;
  /** Whether the last turn may have left due deliveries: for lack of room, or of targets with unwritten failures. */
  private hasLeftSome = false;
  /** The wait for a turn of the event loop in which further attempts can start. */
  private turn?: Promise<void>;
  private pollTimer?: NodeJS.Timeout;
  private isStarted = false;
  private isStopping = false;

  /** Looks for due deliveries outside the async context of the triggering request, so that they are not part of its trace. */
  protected readonly poll = AsyncResource.bind(() => this.startTurns());

  constructor(
    private readonly queue: DispatchQueue<Target, Delivery, Result>,
    private readonly limits: DispatchSettings,
    private readonly others: WakeChannel,
  ) {
    this.writer = new AttemptWriter(queue, limits.gather);
  }

  /** Returns the id of a target, or of the target of a delivery. */
  protected abstract idOf(of: Target | Delivery): number;

  /**
   * Returns targets with due deliveries without a lease whose circuit is not open, ordered by id.
   * @param after only targets with a larger id
   * @param busy ids to exclude
   */
  protected abstract findDue(
    now: number,
    after: number,
    busy: readonly number[],
    limit: number,
  ): Promise<Target[]>;

  /** Returns the current state of targets that still exist, in any order. */
  protected abstract findCurrent(targets: readonly Target[]): Promise<Target[]>;

  /** Makes an attempt. Never rejects. @param started in milliseconds since 1970 @param number 1 for the first attempt */
  protected abstract attempt(
    target: Target,
    delivery: Delivery,
    started: number,
    number: number,
  ): Promise<Result>;

  async onApplicationBootstrap(): Promise<void> {
    await this.queue.releaseAbandoned().catch((error: unknown) => {
      this.logger.error(
        { err: error },
        'Could not release the deliveries of an earlier process; their leases will expire',
      );
    });
    this.isStarted = true;
    this.others.onHeard(() => this.poll());
    // A write frees capacity that another target may be waiting for.
    this.writer.onWritten((isMoreDue) => {
      if (isMoreDue || this.hasLeftSome) this.poll();
    });
    this.pollTimer = setInterval(() => {
      void this.refreshHeld();
      this.poll();
    }, this.limits.pollInterval).unref();
    this.poll();
  }

  /** Makes this process and the others look for due deliveries; called when new ones have been committed. */
  wake(): void {
    this.poll();
    this.others.announce();
  }

  /**
   * Updates the targets of held deliveries to their current state, and releases the deliveries of those that are gone. Called when a target
   * has changed in this process.
   */
  refresh(): Promise<void> {
    this.changes++;
    return this.refreshHeld();
  }

  /** Does the same periodically, for changes in other processes. */
  private async refreshHeld(): Promise<void> {
    const held = [...this.lanes.values()].filter((lane) => lane.waiting.length > 0);
    if (held.length === 0) return;
    try {
      await this.withCurrent(
        held.map(({ target }) => target),
        (current) => {
          const byId = this.byId(current);
          for (const lane of held) {
            const target = byId.get(this.idOf(lane.target));
            if (target) lane.target = target;
            else this.releaseLane(lane);
          }
        },
      );
    } catch (error) {
      this.logger.error({ err: error }, 'Could not look for changed targets of deliveries');
    }
  }

  /** Passes on the current state of targets that still exist. Reads it again if one changes in this process meanwhile. */
  private async withCurrent(
    targets: readonly Target[],
    use: (current: readonly Target[]) => void,
  ): Promise<void> {
    for (;;) {
      const { changes } = this;
      const current = await this.findCurrent(targets);
      if (changes !== this.changes) continue;
      use(current);
      return;
    }
  }

  private byId(targets: readonly Target[]): Map<number, Target> {
    return new Map(targets.map((target) => [this.idOf(target), target]));
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
   * Claims deliveries for the next targets that have due ones and spare capacity. When hanging targets have used up the
   * capacity of this process, every other target still gets one delivery as long as an attempt can start.
   */
  private async takeTurn(): Promise<void> {
    this.hasLeftSome = true;
    const { concurrency } = this.limits;
    const room = Math.max(0, concurrency * 2 - this.running - this.waiting);
    const places = Math.max(room, concurrency - this.running);
    if (places === 0) return;
    const full = [...this.lanes.values()]
      .filter((lane) => room === 0 || this.roomFor(lane.target) === 0)
      .map((lane) => lane.target);
    // The stored health of targets with an unwritten failure is outdated: their circuit may be about to open.
    const busyTargets = [...full, ...this.writer.targetsWithUnwrittenFailure()];
    const busy = [...new Set(busyTargets.map((target) => this.idOf(target)))];
    const { changes } = this;
    const targets = await this.findDue(Date.now(), this.cursor, busy, TARGETS_PER_TURN);
    // After the last target, the next turn starts with the first.
    const wasPartial = this.cursor > 0;
    const last = targets.at(-1);
    this.cursor = last && targets.length >= TARGETS_PER_TURN ? this.idOf(last) : 0;
    if (targets.length === 0) {
      if (wasPartial) this.takeAgain = true;
      this.hasLeftSome = wasPartial || busy.length > 0;
      return;
    }
    const share = Math.max(1, Math.floor(room / targets.length));
    const wanted = targets.slice(0, places).map((target) => ({
      target,
      count: Math.min(share, this.roomFor(target)),
    }));
    const claimed = await this.queue.claim(wanted.filter(({ count }) => count > 0));
    // A change since the search did not reach the deliveries of this turn, which were in no lane.
    if (changes === this.changes) this.admit(targets, claimed);
    else await this.withCurrent(targets, (current) => this.admit(current, claimed));
    const byTarget = groupBy(claimed, (delivery) => this.idOf(delivery));
    this.hasLeftSome =
      wasPartial ||
      this.cursor > 0 ||
      busy.length > 0 ||
      wanted.length < targets.length ||
      // A target that got fewer than it could take has no others that are due.
      wanted.some(({ target, count }) => (byTarget.get(this.idOf(target))?.length ?? 0) >= count);
    if (claimed.length > 0 && this.hasLeftSome) this.takeAgain = true;
  }

  /** Takes over claimed deliveries, and releases those whose target is gone. */
  private admit(targets: readonly Target[], claimed: readonly Delivery[]): void {
    const byId = this.byId(targets);
    for (const delivery of claimed) {
      const id = this.idOf(delivery);
      const target = byId.get(id);
      if (!target) {
        this.writer.giveBack([delivery]);
        continue;
      }
      let lane = this.lanes.get(id);
      if (!lane) {
        lane = { target, waiting: [], running: 0, allowance: this.limits.firstAllowance };
        this.lanes.set(id, lane);
      }
      lane.target = target;
      lane.waiting.push(delivery);
      this.waiting++;
    }
    this.startAttempts();
  }

  /**
   * Starts as many attempts as allowed, one for each target in turn.
   * @param hasTurn whether the first one has waited for this turn of the event loop
   */
  private startAttempts(hasTurn = false): void {
    let mayStart = hasTurn;
    for (const [id, lane] of this.lanes) {
      if (this.isStopping || this.running >= this.limits.concurrency) return;
      if (lane.running < lane.allowance) {
        if (lane.waiting.length > 0 && !mayStart && this.waitsForTurn()) return;
        const delivery = this.nextWaiting(lane);
        if (delivery) {
          mayStart = false;
          lane.running++;
          this.running++;
          void this.attemptIn(lane, delivery);
          // Moved to the end of the map, where this loop reaches it again.
          this.lanes.delete(id);
          this.lanes.set(id, lane);
        }
      }
      if (lane.running === 0 && lane.waiting.length === 0) this.lanes.delete(id);
    }
  }

  /** Preparing hundreds of large bodies in one turn of the event loop would keep everything else waiting for a second. */
  private waitsForTurn(): boolean {
    this.turn ??= loopTurns.pause()?.then(() => {
      this.turn = undefined;
      this.startAttempts(true);
    });
    return this.turn !== undefined;
  }

  /** Returns the next delivery with a lease that outlasts an attempt; skipped deliveries are claimed again later. */
  private nextWaiting(lane: Lane<Target, Delivery>): Delivery | undefined {
    for (;;) {
      const delivery = lane.waiting.shift();
      if (!delivery) return undefined;
      this.waiting--;
      if (delivery.leaseUntil - Date.now() >= this.limits.timeout + LEASE_MARGIN_MS) return delivery;
    }
  }

  private async attemptIn(lane: Lane<Target, Delivery>, delivery: Delivery): Promise<void> {
    const { target } = lane;
    const started = Date.now();
    const number = delivery.attempt + 1;
    const result = await this.attempt(target, delivery, started, number);
    const now = Date.now();
    const delay =
      result.error === '' || result.isWithheld || result.isFinal
        ? undefined
        : retryDelay(
            this.limits.retries,
            { number, status: result.status, retryAfter: result.retryAfter },
            now,
          );
    this.writer.add({ delivery, target, started, duration: now - started, result, retryDelay: delay });
    if (result.error === '') {
      lane.allowance = Math.min(lane.allowance + 1, this.limits.targetConcurrency);
    } else if (isFailureOfTarget(result)) {
      lane.allowance = this.limits.firstAllowance;
      // The circuit may open now; from here on, deliveries are claimed one by one.
      this.releaseLane(lane);
    }
    lane.running--;
    this.running--;
    this.startAttempts();
  }

  private releaseLane(lane: Lane<Target, Delivery>): void {
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

  /** Returns how many more deliveries this process may hold for a target; a failing target gets one in total. */
  private roomFor(target: Target): number {
    const lane = this.lanes.get(this.idOf(target));
    const held = lane ? lane.running + lane.waiting.length : 0;
    const limit = target.failures > 0 ? 1 : this.limits.targetConcurrency * this.limits.prefetch;
    return Math.max(0, limit - held);
  }
}
