import { DeliveryState } from '../../deliveries/delivery-state';
import { type StatementRunner } from '../../database/sql/statements';
import { joinUser } from '../../users/data/user-sql';
import { LetterKind } from '../letter-kind';
import { BEFORE_DOMAIN, refusedDomainIn } from '../smtp/smtp-failure';

/** For how long letters that have failed are shown, in milliseconds. */
export const FAILED_MS = 24 * 60 * 60_000;
/** Maximum number of letters that are counted. */
const MAX_COUNT = 10_000;
/** Maximum number of different answers that are read, and of domains that are named. */
const MAX_ANSWERS = 1000;
const MAX_DOMAINS = 20;

/** Whether mail arrives, according to the database. Times in milliseconds since 1970. */
export interface MailFigures {
  /** Letters that wait, up to `MAX_COUNT`. */
  pending: number;
  /** When the oldest of them was written; null without one. */
  oldest: number | null;
  /** Failures of the mail server since its last success. */
  failures: number;
  failingSince: number | null;
  /** 0 unless sending is paused. */
  pausedUntil: number;
  reason: string;
}

/** Reads the figures. */
export async function readMailFigures(runner: StatementRunner): Promise<MailFigures> {
  const [letters] = await runner.query<[{ pending: number | string; oldest: number | string | null }]>(
    `SELECT COUNT(*) AS pending, MIN(created) AS oldest
       FROM (SELECT created FROM mail_letter WHERE state = ? ORDER BY is_urgent, next_at LIMIT ${MAX_COUNT}) waiting`,
    [DeliveryState.Pending],
  );
  const [server] = await runner.query<
    {
      failures: number;
      failingSince: number | string | null;
      pausedUntil: number | string;
      reason: string;
    }[]
  >(
    `SELECT failures AS failures, failing_since AS failingSince, paused_until AS pausedUntil, reason AS reason
       FROM mail_server`,
  );
  return {
    pending: Number(letters.pending),
    oldest: letters.oldest === null ? null : Number(letters.oldest),
    failures: server?.failures ?? 0,
    failingSince: server?.failingSince == null ? null : Number(server.failingSince),
    pausedUntil: Number(server?.pausedUntil ?? 0),
    reason: server?.reason ?? '',
  };
}

/** Counts the letters that failed permanently since a time, up to `MAX_COUNT`. */
export async function countFailedLetters(runner: StatementRunner, since: number): Promise<number> {
  const [row] = await runner.query<[{ count: number | string }]>(
    `SELECT COUNT(*) AS count FROM (SELECT id FROM mail_letter
      WHERE state = ? AND is_urgent IN (0, 1) AND next_at > ? LIMIT ${MAX_COUNT}) failed`,
    [DeliveryState.Failed, since],
  );
  return Number(row.count);
}

/** A domain to which the mail server does not send. */
export interface RefusedDomain {
  domain: string;
  letterCount: number;
  /** The answer of the mail server. */
  reason: string;
}

/**
 * Returns the domains that the mail server refuses because of a policy, or for which it does not answer, according to the letters that wait, or have
 * failed since a time; those with the most letters first.
 */
export async function findRefusedDomains(runner: StatementRunner, since: number): Promise<RefusedDomain[]> {
  const domains = new Map<string, RefusedDomain>();
  for (const [state, after] of [
    [DeliveryState.Pending, 0],
    [DeliveryState.Failed, since],
  ] as const) {
    const rows = await runner.query<{ error: string; count: number | string }[]>(
      `SELECT error AS error, COUNT(*) AS count FROM (SELECT error FROM mail_letter
        WHERE state = ? AND is_urgent IN (0, 1) AND next_at > ? LIMIT ${MAX_COUNT}) recent
        WHERE ${BEFORE_DOMAIN.map(() => 'error LIKE ?').join(' OR ')} GROUP BY error ORDER BY error LIMIT ${MAX_ANSWERS}`,
      [state, after, ...BEFORE_DOMAIN.map((text) => `${text}%`)],
    );
    for (const { error, count } of rows) {
      const { domain, answer: reason } = refusedDomainIn(error) ?? { domain: '', answer: '' };
      const letterCount = (domains.get(domain)?.letterCount ?? 0) + Number(count);
      domains.set(domain, { domain, letterCount, reason });
    }
  }
  const sorted = [...domains.values()].toSorted((one, other) => other.letterCount - one.letterCount);
  return sorted.slice(0, MAX_DOMAINS);
}

/** An invitation whose letter was not sent. */
export interface FailedInvitation {
  address: string;
  reason: string;
  /** In milliseconds since 1970. */
  failed: number;
}

/** Returns the invitations whose letters have failed since a time, the latest first. */
export async function findFailedInvitations(
  runner: StatementRunner,
  since: number,
  limit: number,
): Promise<FailedInvitation[]> {
  const rows = await runner.query<{ address: string; reason: string; failed: number | string }[]>(
    `SELECT address AS address, error AS reason, next_at AS failed
       FROM (SELECT id, kind, address, error, next_at FROM mail_letter
              WHERE state = ? AND is_urgent IN (0, 1) AND next_at > ? LIMIT ${MAX_COUNT}) recent
      WHERE kind = ? AND address IS NOT NULL ORDER BY next_at DESC, id DESC LIMIT ${limit}`,
    [DeliveryState.Failed, since, LetterKind.Invitation],
  );
  return rows.map((row) => ({ ...row, failed: Number(row.failed) }));
}

/** A user whose mail address is paused, because the mail server refuses it. */
export interface PausedAddress {
  id: number;
  userId: string;
  address: string;
  /** In milliseconds since 1970. */
  paused: number;
  reason: string;
}

/** The users whose current address is paused. */
const PAUSED = `FROM mail_setting s ${joinUser('s.user_id')}
  WHERE s.paused_address IS NOT NULL AND u.active = 1 AND u.mail_address = s.paused_address`;

/** Returns users whose address is paused, the latest first. */
export async function findPausedAddresses(runner: StatementRunner, limit: number): Promise<PausedAddress[]> {
  const rows = await runner.query<
    {
      id: number | string;
      userId: string;
      address: string;
      paused: number | string;
      reason: string;
    }[]
  >(
    `SELECT s.user_id AS id, u.user_id AS userId, s.paused_address AS address, s.paused AS paused, s.paused_reason AS reason
       ${PAUSED} ORDER BY s.paused DESC, s.user_id LIMIT ${limit}`,
  );
  return rows.map((row) => ({ ...row, id: Number(row.id), paused: Number(row.paused) }));
}

/** Counts the users whose address is paused. */
export async function countPausedAddresses(runner: StatementRunner): Promise<number> {
  const [row] = await runner.query<[{ count: number | string }]>(`SELECT COUNT(*) AS count ${PAUSED}`);
  return Number(row.count);
}
