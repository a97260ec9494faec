import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRowIfMissing, selectRow, selectRows } from '../../database/sql/rows';
import { affectedRows, forWrite } from '../../database/sql/statements';
import { MailSetting } from '../entities/mail-setting.entity';
import { DEFAULT_MODE } from '../letter-kind';

const KEYS = [
  'userId',
  'mode',
  'mutedTopics',
  'digestHour',
  'timeZone',
  'language',
  'digestDue',
  'digestAfter',
  'pausedAddress',
  'paused',
  'pausedReason',
] as const;

/** What a user has chosen. */
export type MailSettingRow = Pick<MailSetting, (typeof KEYS)[number]>;

/** The settings of a user who has chosen nothing. */
export const DEFAULT_SETTINGS: Omit<MailSettingRow, 'userId'> = {
  mode: DEFAULT_MODE,
  mutedTopics: 0,
  digestHour: 8,
  timeZone: 'UTC',
  language: null,
  digestDue: null,
  digestAfter: 0,
  pausedAddress: null,
  paused: null,
  pausedReason: '',
};

/** Repository of the settings of letters. */
@Injectable()
export class MailSettingRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the settings of a user. */
  async find(userId: number): Promise<MailSettingRow> {
    const row = await selectRow(this.dataSource, MailSetting, KEYS, 'WHERE user_id = ?', [userId]);
    return row ?? { userId, ...DEFAULT_SETTINGS };
  }

  /** Returns the settings of a user, which nobody else changes until the transaction ends. */
  async findForWrite(manager: EntityManager, userId: number): Promise<MailSettingRow> {
    const condition = `WHERE user_id = ?${forWrite(manager)}`;
    const row = await selectRow(manager, MailSetting, KEYS, condition, [userId]);
    return row ?? { userId, ...DEFAULT_SETTINGS };
  }

  /** Stores the settings of a user whom the transaction has locked. */
  async save(manager: EntityManager, row: MailSettingRow): Promise<void> {
    await insertRowIfMissing(manager, MailSetting, row);
    await manager.query(
      `UPDATE mail_setting SET mode = ?, muted_topics = ?, digest_hour = ?, time_zone = ?, language = ?, digest_due = ?,
              digest_after = ?, paused_address = ?, paused = ?, paused_reason = ? WHERE user_id = ?`,
      [
        row.mode,
        row.mutedTopics,
        row.digestHour,
        row.timeZone,
        row.language,
        row.digestDue,
        row.digestAfter,
        row.pausedAddress,
        row.paused,
        row.pausedReason,
        row.userId,
      ],
    );
  }

  /** Pauses the address of a user, who may have no settings yet. */
  async pause(
    manager: EntityManager,
    userId: number,
    { address, reason, now }: { address: string; reason: string; now: number },
  ): Promise<void> {
    await insertRowIfMissing(manager, MailSetting, { userId, ...DEFAULT_SETTINGS });
    await manager.query(
      'UPDATE mail_setting SET paused_address = ?, paused = ?, paused_reason = ? WHERE user_id = ?',
      [address, now, reason, userId],
    );
  }

  /** Ends the pause of an address that has accepted a letter. */
  async resume(manager: EntityManager, userId: number): Promise<void> {
    await manager.query(
      `UPDATE mail_setting SET paused_address = NULL, paused = NULL, paused_reason = ''
        WHERE user_id = ? AND paused_address IS NOT NULL`,
      [userId],
    );
  }

  /** Returns users whose digest is due. */
  findDueDigests(now: number, limit: number): Promise<MailSettingRow[]> {
    const rest = `WHERE digest_due <= ? ORDER BY digest_due LIMIT ${limit}`;
    return selectRows(this.dataSource, MailSetting, KEYS, rest, [now]);
  }

  /** Moves a digest to the next day; returns false when another process has done so, or the user has chosen otherwise. */
  async moveDigest(
    manager: EntityManager,
    { userId, digestDue }: Pick<MailSettingRow, 'userId' | 'digestDue'>,
    next: { due: number; after: number },
  ): Promise<boolean> {
    const moved = await affectedRows(
      manager,
      'UPDATE mail_setting SET digest_due = ?, digest_after = ? WHERE user_id = ? AND digest_due = ?',
      [next.due, next.after, userId, digestDue],
    );
    return moved === 1;
  }

  async removeOfUser(manager: EntityManager, userId: number): Promise<void> {
    await manager.query('DELETE FROM mail_setting WHERE user_id = ?', [userId]);
  }
}
