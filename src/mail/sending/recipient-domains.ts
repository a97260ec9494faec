/** When a domain is tried again; times in milliseconds. */
export interface DomainSettings {
  /** Maximum duration of an attempt. */
  readonly timeout: number;
  /** Concurrent attempts in this process. */
  readonly concurrency: number;
  /** Each successive pause; the last length repeats. */
  readonly circuitPauses: readonly number[];
}

/** An attempt that may be made. */
export interface Admitted {
  /** How long the mail server may take to answer to the recipient, in milliseconds. */
  recipientTimeout: number;
  /** Whether it finds out if the mail server answers again. */
  isTrial: boolean;
}

/** An attempt that may not be made yet. */
export interface Deferred {
  /** When to ask again, in milliseconds since 1970. */
  until: number;
  /** What happened to the last attempt. */
  error: string;
}

/** What the mail server answered to the recipient: nothing in time, anything, or it was not asked. */
export type RecipientOutcome = { hung: string } | 'answered' | 'unasked';

/** Part of the time of an attempt within which a mail server answers to most recipients; at least the second value, in milliseconds. */
const [USUAL_PART, LEAST_MS] = [1 / 4, 5000];
/** Maximum number of domains that are remembered. */
const MAX_DOMAINS = 1000;

interface SlowDomain {
  error: string;
  /** Attempts in a row to which the mail server has not answered. */
  hangs: number;
  pausedUntil: number;
  isOnTrial: boolean;
}

/**
 * Keeps the domains to whose recipients the mail server does not answer from using up the connections of this process. A mail server may, for
 * example, ask that of the recipient before it answers. After the first time, a single letter tries such a domain, with all the time of an
 * attempt; after the next ones, the domain is paused before, for longer each time. At most half of the connections try domains
 * (`docs/decisions/0066-mail.md#failures`).
 */
export class RecipientDomains {
  private readonly slow = new Map<string, SlowDomain>();
  private trials = 0;
  /** How long an answer usually takes at most, in milliseconds. */
  private readonly usual: number;

  constructor(private readonly settings: DomainSettings) {
    const { timeout } = settings;
    this.usual = Math.min(timeout, Math.max(timeout * USUAL_PART, LEAST_MS));
  }

  /** Asks for an attempt. If it is admitted, `leave` must follow. */
  enter(domain: string, now: number): Admitted | Deferred {
    const { timeout, concurrency } = this.settings;
    const known = this.slow.get(domain);
    if (!known) return { recipientTimeout: this.usual, isTrial: false };
    const { error, pausedUntil, isOnTrial } = known;
    if (pausedUntil > now) return { until: pausedUntil, error };
    if (isOnTrial || this.trials >= Math.max(1, Math.floor(concurrency / 2))) {
      return { until: now + timeout, error };
    }
    known.isOnTrial = true;
    this.trials++;
    return { recipientTimeout: timeout, isTrial: true };
  }

  /**
   * Notes the outcome of an attempt.
   * @param duration of the attempt, in milliseconds
   */
  leave(
    domain: string,
    { isTrial }: Admitted,
    outcome: RecipientOutcome,
    { duration, now }: { duration: number; now: number },
  ): void {
    const known = this.slow.get(domain);
    if (isTrial) {
      this.trials--;
      if (known) known.isOnTrial = false;
    }
    if (outcome === 'unasked') return;
    if (outcome !== 'answered') {
      // Attempts that were running when the domain became known for its first one do not count.
      if (!known || isTrial) this.noteHang(domain, outcome.hung, now);
    } else if (duration < this.usual) {
      this.slow.delete(domain);
    } else if (known) {
      // It answers, but needs all the time of an attempt.
      known.hangs = 1;
    }
  }

  private noteHang(domain: string, error: string, now: number): void {
    const { circuitPauses } = this.settings;
    const hangs = (this.slow.get(domain)?.hangs ?? 0) + 1;
    const pause = hangs === 1 ? 0 : (circuitPauses[Math.min(hangs - 2, circuitPauses.length - 1)] ?? 0);
    // Moved to the end of the map, whose first domain is forgotten.
    this.slow.delete(domain);
    this.slow.set(domain, { error, hangs, pausedUntil: now + pause, isOnTrial: false });
    const [oldest] = this.slow.keys();
    if (this.slow.size > MAX_DOMAINS && oldest !== undefined) this.slow.delete(oldest);
  }
}
