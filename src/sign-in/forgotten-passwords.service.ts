import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment';
import { TransactionsService } from '../database/transactions/transactions.service';
import { RateLimit } from '../limits/rate-limit';
import { type ClaimedLetter } from '../mail/data/mail-letter.repository';
import { LetterKind } from '../mail/letter-kind';
import { type LetterContent, type LetterPart, shownTime } from '../mail/letters/letter-content';
import { LETTER_TEXTS, letterLanguage } from '../mail/letters/letter-texts';
import { LetterKindsService } from '../mail/outbox/letter-kinds.service';
import { LettersService } from '../mail/outbox/letters.service';
import { type UserDto } from '../users/dto/user.dto';
import { UsersService } from '../users/users.service';
import { PasswordLinksService } from './password-links.service';

const HOUR_MS = 60 * 60_000;
/** Letters in an hour for one login name or mail address. */
const MAX_LETTERS = 3;
/** Requests per minute of everybody in this process: each leaves a row until it is composed. */
const MAX_REQUESTS = 300;
const WINDOW_SECONDS = 60;
/** Maximum length of a mail address. */
const MAX_ADDRESS = 255;

/**
 * Sends users links to set a password in place of a forgotten one. A request stores what was entered, and looks nothing up: its answer and its time
 * are the same whether or not a user has that name or address. The users are found when the letter is composed.
 */
@Injectable()
export class ForgottenPasswordsService {
  private readonly requests = new RateLimit('forgotten_passwords', MAX_REQUESTS, WINDOW_SECONDS);

  constructor(
    private readonly transactions: TransactionsService,
    private readonly letters: LettersService,
    private readonly users: UsersService,
    private readonly links: PasswordLinksService,
    private readonly environment: Environment,
    kinds: LetterKindsService,
  ) {
    kinds.register(LetterKind.ForgottenPassword, (letter) => this.compose(letter));
  }

  /** Whether links can be sent: with mail, and unless passwords are switched off. */
  get isOn(): boolean {
    return this.letters.isOn && this.environment.PASSWORD_SIGN_IN;
  }

  /**
   * Sends a letter to the users with a login name or a mail address, if there are any.
   * @throws TooManyRequestsError
   */
  async request(nameOrAddress: string): Promise<void> {
    if (!this.isOn) return;
    await this.requests.count('');
    const address = nameOrAddress.toLowerCase();
    // Lower case can be longer; no user has such an address.
    if (address.length > MAX_ADDRESS) return;
    const kind = LetterKind.ForgottenPassword;
    await this.transactions.run(async (manager) => {
      const since = Date.now() - HOUR_MS;
      const count = await this.letters.countOfAddress(manager, kind, address, since, MAX_LETTERS);
      if (count >= MAX_LETTERS) return;
      await this.letters.add(manager, [{ kind, address, detail: { name: nameOrAddress } }]);
    });
  }

  private async compose({ detail }: ClaimedLetter): Promise<LetterContent | undefined> {
    const entered = detail?.name ?? '';
    const users = withOneAddress(await this.users.findByNameOrAddress(entered), entered);
    const parts: LetterPart[] = [];
    let last = 0;
    const [first] = users;
    if (!first) return undefined;
    const language = letterLanguage(null, first.lang);
    const texts = LETTER_TEXTS[language];
    for (const { id, userId } of users) {
      const link = await this.links.makeForgotten(id);
      if (!link) continue;
      last = link.expires;
      parts.push({ text: texts.setPasswordOf(userId) });
      parts.push({ link: { text: texts.setPasswordOf(userId), url: link.url } });
    }
    if (parts.length === 0) return undefined;
    const until = shownTime(last);
    return {
      language,
      to: { address: first.mailAddress, name: first.name },
      subject: texts.forgottenSubject,
      parts: [{ text: texts.forgotten }, ...parts, { text: texts.linkWorksUntil(until) }],
      reason: texts.forgottenReason,
      canBeEnded: false,
    };
  }
}

/** Returns the users who share one address: that of the user with the login name, or else of the first. */
function withOneAddress(users: readonly UserDto[], entered: string): UserDto[] {
  const chosen = users.find(({ userId }) => userId === entered) ?? users[0];
  const address = chosen?.mailAddress.toLowerCase();
  return users.filter(({ mailAddress }) => mailAddress.toLowerCase() === address);
}
