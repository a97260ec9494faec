import { type EntityManager } from 'typeorm';
import { type Circuits, type Failures } from './data/circuits';
import { type DueTarget } from './delivery';

/** When the circuit of a target opens, and for how long; times in milliseconds. */
export interface CircuitSettings {
  /** Number of consecutive failures. */
  readonly circuitFailures: number;
  /** Each successive pause; the last length repeats. */
  readonly circuitPauses: readonly number[];
}

/**
 * The circuit of each target: after several consecutive failures it opens, and lets one attempt through at growing intervals, until one
 * succeeds.
 */
export class Circuit {
  constructor(
    private readonly circuits: Circuits,
    private readonly settings: CircuitSettings,
  ) {}

  /** Takes the one attempt that an open circuit lets through; returns false when another process has taken it. */
  takeProbe(manager: EntityManager, id: number, target: DueTarget, until: number): Promise<boolean> {
    return this.circuits.movePause(manager, id, target.pausedUntil, until);
  }

  /** Gives back the attempt of an open circuit that was taken but not made. */
  async returnProbe(manager: EntityManager, id: number, target: DueTarget): Promise<void> {
    if (target.pausedUntil === 0) return;
    await this.circuits.shortenPause(manager, id, target.pausedUntil);
  }

  /**
   * Records the outcomes of attempts at a target, in order. Returns its failures after those that trail; undefined if none does, or if the
   * target has been deleted.
   * @param errors of each attempt; `''` for a success
   */
  async record(
    manager: EntityManager,
    id: number,
    errors: readonly string[],
    now: number,
  ): Promise<Failures | undefined> {
    const trailing = errors.slice(errors.lastIndexOf('') + 1);
    const error = trailing.at(-1);
    if (trailing.length < errors.length) await this.circuits.clearFailures(manager, id);
    if (error === undefined) return undefined;
    await this.circuits.addFailures(manager, id, { count: trailing.length, error, now });
    return this.circuits.findFailures(manager, id);
  }

  /**
   * Opens the circuit after too many failures. Attempts that were running when it opened do not prolong the pause.
   * @param isCertain whether a single failure suffices, because others would fail in the same way
   */
  async openIfFailing(
    manager: EntityManager,
    id: number,
    target: DueTarget,
    { failures, pausedUntil, pauses }: Failures,
    now: number,
    isCertain = false,
  ): Promise<void> {
    const { circuitFailures, circuitPauses } = this.settings;
    if (failures < circuitFailures && !isCertain) return;
    const isProbe = target.pausedUntil > 0;
    if (pausedUntil > now && !isProbe) return;
    const pause = circuitPauses[Math.min(pauses, circuitPauses.length - 1)] ?? 0;
    // Never 0, which would mean that the circuit is closed.
    await this.circuits.pause(manager, id, now + pause);
  }
}
