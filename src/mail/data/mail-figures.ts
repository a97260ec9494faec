import { DeliveryState } from '../../deliveries/delivery-state';
import { type StatementRunner } from '../../database/sql/statements';
import { joinUser } from '../../users/data/user-sql';

/** Whether mail arrives, according to the database. Times in milliseconds since 1970. */
export interface MailFigures {
  pending: number;
  /** When the oldest letter that waits was written; null without one. */
  oldest: number | null;
  /** Failures of the mail server since its last success. */
  failures: number;
  failingSince: number | null;
  pausedUntil: number;
  reason: string;
}

/** Reads the figures. */
export async function readMailFigures(runner: StatementRunner): Promise<MailFigures> {
  const [letters] = await runner.query<[{ pending: number | string; oldest: number | string | null }]>(
    'SELECT COUNT(*) AS pending, MIN(created) AS oldest FROM mail_letter WHERE state = ?',
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

/** A user whose mail address is refused. */
export interface RefusedAddress {
  userId: string;
  address: string;
  reason: string;
}

/** Returns users whose current mail address is refused, the latest first. */
export function findRefusedAddresses(runner: StatementRunner, limit: number): Promise<RefusedAddress[]> {
  return runner.query<RefusedAddress[]>(
    `SELECT u.user_id AS userId, s.paused_address AS address, s.paused_reason AS reason
       FROM mail_setting s ${joinUser('s.user_id')}
      WHERE u.active = 1 AND u.mail_address = s.paused_address ORDER BY s.paused DESC, s.user_id LIMIT ${limit}`,
  );
}
