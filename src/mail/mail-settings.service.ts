import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Actor } from '../audit-log/actor';
import { auditChanges } from '../audit-log/audit-changes';
import { AuditLogService } from '../audit-log/audit-log.service';
import { TransactionsService } from '../database/transactions/transactions.service';
import { InvalidRequestError, NoResourceError } from '../errors/domain-errors';
import { UserAdministrationService } from '../users/user-administration.service';
import { hashToken } from '../users/token';
import { UsersService } from '../users/users.service';
import { MailLetterRepository } from './data/mail-letter.repository';
import { type MailSettingRow, MailSettingRepository } from './data/mail-setting.repository';
import { type MailSettingsDto } from './dto/mail-settings.dto';
import { type UpdateMailSettingsDto } from './dto/update-mail-settings.dto';
import { bitsOf, MAIL_MODES, mailModeName, MailMode, type MailModeName } from './letter-kind';
import { toMailSettingsDto } from './mail-settings.mapper';
import { isTimeZone, nextHour } from './notified/digest-time';

/** What letters users get, which they choose themselves. */
@Injectable()
export class MailSettingsService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly settings: MailSettingRepository,
    private readonly letters: MailLetterRepository,
    private readonly users: UsersService,
    private readonly auditLog: AuditLogService,
    administration: UserAdministrationService,
  ) {
    administration.onLeaving(async (manager, userId) => {
      await this.letters.removeOfUser(manager, userId);
      await this.settings.removeOfUser(manager, userId);
    });
  }

  /** Returns what letters a user gets. */
  async get(userId: number): Promise<MailSettingsDto> {
    const { mailAddress } = await this.users.get(userId);
    return toMailSettingsDto(await this.settings.find(userId), mailAddress);
  }

  /**
   * Changes what letters a user gets. The audit log records the end of a pause, but not what users choose for themselves.
   * @throws InvalidRequestError for an unknown time zone, or a pause by hand
   */
  async update(actor: Actor, userId: number, changes: UpdateMailSettingsDto): Promise<MailSettingsDto> {
    if (changes.timeZone !== undefined && !isTimeZone(changes.timeZone)) {
      throw InvalidRequestError.of(
        'timeZone',
        'timeZone must be the name of a time zone, such as Asia/Tokyo.',
      );
    }
    if (changes.paused === true) throw InvalidRequestError.of('paused', 'paused can only be set to false.');
    await this.transactions.run(async (manager) => {
      const { pausedAddress } = await this.change(manager, userId, changes);
      if (changes.paused === false) await this.recordResumption(manager, actor, { userId, pausedAddress });
    });
    return this.get(userId);
  }

  /**
   * Ends the pause of a user's address. The audit log records it, also for users themselves.
   * @throws NoResourceError for a user who has left
   */
  async resume(actor: Actor, userId: number): Promise<MailSettingsDto> {
    await this.transactions.run(async (manager) => {
      await this.users.lock(manager, userId);
      const { pausedAddress } = await this.settings.findForWrite(manager, userId);
      if (pausedAddress === null) return;
      await this.settings.resume(manager, userId);
      await this.recordResumption(manager, actor, { userId, pausedAddress });
    });
    return this.get(userId);
  }

  /**
   * Returns the user of a link in a letter, with their current mode.
   * @throws NoResourceError for a link that does not work
   */
  async findByToken(token: string): Promise<{ userId: number; mode: MailModeName }> {
    const userId = await this.letters.findUserOfToken(hashToken(token));
    if (userId === undefined) throw new NoResourceError('link');
    return { userId, mode: mailModeName((await this.settings.find(userId)).mode) };
  }

  /** Sets the mode of the user of a link in a letter. @throws NoResourceError for a link that does not work */
  async setModeByToken(token: string, mode: MailModeName): Promise<void> {
    const { userId } = await this.findByToken(token);
    await this.transactions.run((manager) => this.change(manager, userId, { mode }));
  }

  private async recordResumption(
    manager: EntityManager,
    actor: Actor,
    { userId, pausedAddress }: { userId: number; pausedAddress: string | null },
  ): Promise<void> {
    if (pausedAddress === null) return;
    const subject = { id: userId, name: (await this.users.get(userId, manager)).userId };
    const changes = auditChanges({ pausedAddress }, { pausedAddress: null }, ['pausedAddress']);
    await this.auditLog.record(manager, actor, { action: 'mailPause.delete', subject, changes });
  }

  /** Changes the settings of a user, and returns the former ones. */
  private async change(
    manager: EntityManager,
    userId: number,
    { mode, mutedTopics, digestHour, timeZone, language, paused }: UpdateMailSettingsDto,
  ): Promise<MailSettingRow> {
    await this.users.lock(manager, userId);
    // A digest or a refusal of the address could change them meanwhile.
    const before = await this.settings.findForWrite(manager, userId);
    const after = {
      ...before,
      ...(mode !== undefined && { mode: MAIL_MODES[mode] }),
      ...(mutedTopics !== undefined && { mutedTopics: bitsOf(mutedTopics) }),
      ...(digestHour !== undefined && { digestHour }),
      ...(timeZone !== undefined && { timeZone }),
      ...(language !== undefined && { language }),
      ...(paused === false && { pausedAddress: null, paused: null, pausedReason: '' }),
    };
    await this.settings.save(manager, withDigest(before, after, Date.now()));
    return before;
  }
}

/** Notifications show their time to the second: the first digest also contains those of the second in which it was chosen. */
const SHOWN_MS = 1000;

/** Returns settings with the time of the next digest. The first one begins now. */
function withDigest(before: MailSettingRow, after: MailSettingRow, now: number): MailSettingRow {
  if (after.mode !== MailMode.Digest) return { ...after, digestDue: null };
  const hasMoved = after.digestHour !== before.digestHour || after.timeZone !== before.timeZone;
  const digestDue =
    before.digestDue === null || hasMoved
      ? nextHour(after.digestHour, after.timeZone, now)
      : before.digestDue;
  return {
    ...after,
    digestDue,
    digestAfter: before.digestDue === null ? now - SHOWN_MS : before.digestAfter,
  };
}
