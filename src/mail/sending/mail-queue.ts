import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { groupBy } from '../../database/sql/group-by';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { Circuit } from '../../deliveries/circuit';
import { type Attempted, type DeliveryResult, type DueTarget } from '../../deliveries/delivery';
import { type DispatchQueue } from '../../deliveries/dispatcher';
import { lettersAttempted } from '../../diagnostics/channels';
import { type ClaimedLetter, MailLetterRepository } from '../data/mail-letter.repository';
import { MailServerRepository, SERVER_ID } from '../data/mail-server.repository';
import { MailSettingRepository } from '../data/mail-setting.repository';
import { LetterKind } from '../letter-kind';
import { MailSettings } from './mail-settings';

/** The result of an attempt to send a letter. */
export interface LetterResult extends DeliveryResult {
  /** The address to which it went. */
  address?: string;
  /** Whether it was paused. */
  wasPaused?: boolean;
  /** Whether the mail server refuses the address for good. */
  isAddressRefused?: boolean;
  /** Whether others would fail in the same way, because the login is wrong. */
  isCertain?: boolean;
  /** Whether the attempt failed before the mail server was asked. */
  isUnsent?: boolean;
  /** When the letter is due again if it was not tried, which counts as no attempt. In milliseconds since 1970. */
  deferredUntil?: number;
}

type AttemptedLetter = Attempted<DueTarget, ClaimedLetter, LetterResult>;

/** Queue of the letters in the database, shared by any number of processes. */
@Injectable()
export class MailQueue implements DispatchQueue<DueTarget, ClaimedLetter, LetterResult> {
  private readonly logger = new Logger(MailQueue.name);
  private readonly circuit: Circuit;

  constructor(
    private readonly transactions: TransactionsService,
    private readonly letters: MailLetterRepository,
    private readonly servers: MailServerRepository,
    private readonly choices: MailSettingRepository,
    private readonly settings: MailSettings,
  ) {
    this.circuit = new Circuit(servers, settings);
  }

  /** Leases up to `count` due letters, if and as many as the pace allows; one while the circuit is open, in only one process. */
  claim(wanted: readonly { target: DueTarget; count: number }[]): Promise<ClaimedLetter[]> {
    const token = randomUUID();
    return this.transactions.run(async (manager) => {
      const ids: number[] = [];
      for (const { target, count } of wanted) {
        const now = await this.servers.lockPlace(manager);
        if (now === undefined) continue;
        const until = now + this.settings.lease;
        const isProbe = target.pausedUntil > 0;
        const most = isProbe ? 1 : Math.min(count, this.settings.lettersPerPlace);
        const due = await this.letters.findDueIds(manager, now, most);
        if (due.length === 0) continue;
        if (isProbe && !(await this.circuit.takeProbe(manager, SERVER_ID, target, until))) continue;
        await this.servers.takePlace(manager, this.settings.distanceOf(due.length), now);
        await this.letters.lease(manager, due, { token, now, until });
        ids.push(...due);
      }
      return ids.length === 0 ? [] : this.letters.findLeased(manager, ids, token);
    });
  }

  /** Records attempts, and their consequences for the mail server and the addresses, in one transaction. */
  async finish(attempts: readonly AttemptedLetter[]): Promise<boolean> {
    await this.transactions.run(async (manager) => {
      const now = Date.now();
      await this.settle(manager, attempts, now);
      await this.recordAddresses(manager, attempts, now);
      await this.recordServer(manager, attempts, now);
      const notSent = attempts.filter(({ result }) => isNotSent(result)).length;
      if (notSent > 0) await this.servers.returnPlaces(manager, this.settings.distanceOf(notSent));
    });
    for (const attempt of attempts) this.report(attempt);
    return false;
  }

  /** Releases letters that were claimed but not attempted. */
  async release(letters: readonly ClaimedLetter[]): Promise<void> {
    if (letters.length === 0) return;
    await this.transactions.run(async (manager) => {
      for (const [token, group] of groupBy(letters, ({ leaseToken }) => leaseToken)) {
        await this.letters.release(manager, token, idsOf(group));
      }
    });
  }

  /** Releases what earlier processes held, where none of them can be alive. Also adds the row of the mail server. */
  async releaseAbandoned(): Promise<void> {
    await this.transactions.run(async (manager) => {
      await this.servers.insertIfMissing(manager);
      await this.letters.releaseAbandoned(manager);
    });
  }

  private async settle(
    manager: EntityManager,
    attempts: readonly AttemptedLetter[],
    now: number,
  ): Promise<void> {
    const sent = attempts.filter(({ result }) => result.error === '');
    for (const [token, group] of groupBy(sent, ({ delivery }) => delivery.leaseToken)) {
      await this.letters.complete(manager, token, idsOf(group.map(({ delivery }) => delivery)), now);
    }
    // There is nothing to keep of what nobody was to get.
    const withheld = attempts.filter(({ result }) => result.isWithheld).map(({ delivery }) => delivery);
    for (const [token, group] of groupBy(withheld, ({ leaseToken }) => leaseToken)) {
      await this.letters.removeLeased(manager, token, idsOf(group));
    }
    for (const { delivery, result, retryDelay } of attempts) {
      if (result.error === '' || result.isWithheld) continue;
      const { id, leaseToken } = delivery;
      const nextAt = retryDelay === undefined ? undefined : now + retryDelay;
      await this.letters.noteError(manager, { id, leaseToken }, result.error);
      if (result.deferredUntil !== undefined) {
        await this.letters.defer(manager, { id, leaseToken, nextAt: result.deferredUntil });
        continue;
      }
      await this.letters.postpone(manager, { id, leaseToken, nextAt }, now);
      // Nothing else says to whom it was.
      if (nextAt === undefined && isInvitation(delivery) && result.address !== undefined)
        await this.letters.setAddress(manager, id, result.address);
    }
  }

  private async recordAddresses(
    manager: EntityManager,
    attempts: readonly AttemptedLetter[],
    now: number,
  ): Promise<void> {
    for (const { delivery, result } of attempts) {
      const { userId } = delivery;
      const { address, error: reason } = result;
      if (userId === null || address === undefined) continue;
      if (result.isAddressRefused) await this.choices.pause(manager, userId, { address, reason, now });
      else if (reason === '' && result.wasPaused) await this.choices.resume(manager, userId);
    }
  }

  private async recordServer(
    manager: EntityManager,
    attempts: readonly AttemptedLetter[],
    now: number,
  ): Promise<void> {
    const [first] = attempts;
    if (!first) return;
    const { target } = first;
    const made = attempts.filter(({ result }) => !isNotSent(result));
    if (made.length === 0) {
      await this.circuit.returnProbe(manager, SERVER_ID, target);
      return;
    }
    // A server that refuses a single letter works.
    const errors = made.map(({ result }) => (result.isItsOwnFailure ? '' : result.error));
    const failures = await this.circuit.record(manager, SERVER_ID, errors, now);
    if (!failures) return;
    const isCertain = made.at(-1)?.result.isCertain;
    await this.circuit.openIfFailing(manager, SERVER_ID, target, failures, now, isCertain);
  }

  /** Publishes an attempt, and logs a failure after which the letter is not sent. */
  private report({ delivery, result, retryDelay, duration }: AttemptedLetter): void {
    if (result.deferredUntil !== undefined) return;
    const isGivenUp = result.error !== '' && !result.isWithheld && retryDelay === undefined;
    const outcome = result.isWithheld ? 'withheld' : result.error === '' ? 'sent' : 'failed';
    lettersAttempted.publish({ outcome, duration, isGivenUp });
    if (!isGivenUp) return;
    const { id: letterId, userId, attempt } = delivery;
    this.logger.warn(
      {
        ...{ letterId, userId, attempts: attempt + 1, error: result.error },
        ...(isInvitation(delivery) && { address: result.address }),
      },
      'A letter could not be sent',
    );
  }
}

const isInvitation = ({ kind }: ClaimedLetter): boolean => kind === LetterKind.Invitation;

const isNotSent = ({ isWithheld, isUnsent }: LetterResult): boolean =>
  isWithheld === true || isUnsent === true;

const idsOf = (letters: readonly ClaimedLetter[]): number[] => letters.map(({ id }) => id);
