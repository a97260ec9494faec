import { Injectable } from '@nestjs/common';
import { UsersService } from '../../users/users.service';
import { type MailSettingRow, MailSettingRepository } from '../data/mail-setting.repository';
import { letterLanguage } from '../letters/letter-texts';
import { type LetterUser } from '../outbox/letter-kinds.service';

/** A user who gets letters, as of now. */
export interface Recipient {
  user: LetterUser;
  choices: MailSettingRow;
  /** Whether the mail server has refused their current address. */
  isPaused: boolean;
}

/** Finds the users who get letters. */
@Injectable()
export class RecipientsService {
  constructor(
    private readonly users: UsersService,
    private readonly choices: MailSettingRepository,
  ) {}

  /** Returns a user; undefined for one who has left or is disabled, and may see nothing. */
  async find(id: number): Promise<Recipient | undefined> {
    const roleType = await this.users.findEnabledRole(id);
    if (roleType === undefined) return undefined;
    const { userId, name, mailAddress: address, lang } = await this.users.get(id);
    const choices = await this.choices.find(id);
    const language = letterLanguage(choices.language, lang);
    const user = { id, userId, name, roleType, address, language };
    return { user, choices, isPaused: choices.pausedAddress === address };
  }
}
