import { type Environment } from '../config/environment';
import { type Snapshot } from '../database/snapshot/snapshot';
import { toTimestamp } from '../http/request/timestamp';
import {
  FAILED_MS,
  findFailedInvitations,
  findPausedAddresses,
  findRefusedDomains,
  readMailFigures,
} from '../mail/data/mail-figures';
import { counted } from '../quantities';
import { type Finding, ok, warning } from './finding';
import { printable } from './printable';

/** Maximum number of addresses that are named, one a line. */
const MAX_NAMED = 20;

/** Time from which it is said how long letters take, in seconds. */
const LONG_SECONDS = 60;

/** Checks whether letters arrive, and names the addresses that the mail server refuses. */
export async function* checkMail(
  snapshot: Snapshot,
  { mail, SMTP_RATE: rate }: Environment,
): AsyncGenerator<Finding> {
  const { pending, oldest, failures, failingSince, pausedUntil, reason } = await readMailFigures(snapshot);
  const waiting =
    oldest === null ? 'no letter waits' : `${counted(pending, 'letter')} since ${toTimestamp(oldest)}`;
  if (!mail) {
    yield pending === 0
      ? ok('mail', 'No mail is sent: SMTP_URL is not set.')
      : warning('mail', `SMTP_URL is not set, but letters wait: ${waiting}.`, 'Set it, or leave them.');
  } else if (failures > 0) {
    const since = failingSince === null ? '' : ` since ${toTimestamp(failingSince)}`;
    const until = pausedUntil > 0 ? `, paused until ${toTimestamp(pausedUntil)}` : '';
    yield warning(
      'mail',
      `The mail server fails${since}${until} (${waiting}). ${printable(reason)}`,
      'Run pms mail test ADDRESS.',
    );
  } else {
    const minutes =
      pending < LONG_SECONDS * rate
        ? ''
        : `, which takes ${counted(Math.ceil(pending / rate / 60), 'minute')}`;
    yield ok('mail', `The mail server works; ${waiting}${minutes}.`);
  }
  const since = Date.now() - FAILED_MS;
  const domains = await findRefusedDomains(snapshot, since);
  for (const { domain, letterCount, reason: answer } of domains) {
    yield warning(
      'mail domain',
      `The mail server takes no letters to ${printable(domain)} (${counted(letterCount, 'letter')}). ${printable(answer)}`,
      domains.length === 1
        ? 'Correct the addresses, or let the mail server send to this domain; if it does not answer, see its log.'
        : 'Let the mail server send to other domains than its own; it may need a login in SMTP_URL.',
    );
  }
  for (const { address, reason: answer } of await findFailedInvitations(snapshot, since, MAX_NAMED)) {
    yield warning(
      'mail invitation',
      `The invitation to ${printable(address)} was not sent. ${printable(answer)}`,
      'Invite the person again, with the right address.',
    );
  }
  for (const { userId, address, reason: answer } of await findPausedAddresses(snapshot, MAX_NAMED)) {
    yield warning(
      'mail address',
      `${printable(address)} of ${printable(userId)} gets no letters. ${printable(answer)}`,
      'Correct the address, or try again on /account/mail.',
    );
  }
}
