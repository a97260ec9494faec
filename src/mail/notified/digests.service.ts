import { Injectable } from '@nestjs/common';
import { BackgroundService } from '../../background/background.service';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { type MailSettingRow, MailSettingRepository } from '../data/mail-setting.repository';
import { LetterKind } from '../letter-kind';
import { LettersService } from '../outbox/letters.service';
import { MailSettings } from '../sending/mail-settings';
import { nextHour } from './digest-time';

const INTERVAL_MS = 60_000;
const BATCH = 200;
/**
 * By how much the period of a digest ends before it is due, in milliseconds: a notification gets its time before its transaction commits, which
 * takes seconds at most.
 */
const SETTLED_MS = 60_000;

/** Writes a digest for each user who wants one, when it is due. Several processes may do so at once: one of them moves it to the next day. */
@Injectable()
export class DigestsService {
  constructor(
    background: BackgroundService,
    private readonly choices: MailSettingRepository,
    private readonly letters: LettersService,
    private readonly transactions: TransactionsService,
    settings: MailSettings,
  ) {
    if (!settings.isOn) return;
    const work = background.add(
      'mail_digests',
      () => work.inBatches(BATCH, (limit) => this.writeDue(limit)),
      { intervalMs: INTERVAL_MS, failure: 'Could not write the digests of notifications' },
    );
  }

  /** Writes up to `limit` digests that are due, and returns the number of users. */
  async writeDue(limit: number, now = Date.now()): Promise<number> {
    const due = await this.choices.findDueDigests(now, limit);
    for (const row of due) await this.write(row, now);
    return due.length;
  }

  private async write(row: MailSettingRow, now: number): Promise<void> {
    const { userId, digestHour, timeZone, digestAfter: after } = row;
    const until = now - SETTLED_MS;
    const next = { due: nextHour(digestHour, timeZone, now), after: Math.max(after, until) };
    await this.transactions.run(async (manager) => {
      if (!(await this.choices.moveDigest(manager, row, next))) return;
      await this.letters.add(manager, [{ kind: LetterKind.Digest, userId, detail: { after, until } }]);
    });
  }
}
