import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment';
import { TransactionsService } from '../database/transactions/transactions.service';
import { RateLimit } from '../limits/rate-limit';
import { type ClaimedLetter } from '../mail/data/mail-letter.repository';
import { LetterKind } from '../mail/letter-kind';
import { type LetterContent, type LetterPart, shownTime } from '../mail/letters/letter-content';
import { LETTER_TEXTS, letterLanguage } from '../mail/letters/letter-texts';
import { MailSettingsService } from '../mail/mail-settings.service';
import { LetterKindsService } from '../mail/outbox/letter-kinds.service';
import { LettersService } from '../mail/outbox/letters.service';
import { type UserDto } from '../users/dto/user.dto';
import { UsersService } from '../users/users.service';
import { PasswordLinksService } from './password-links.service';

const HOUR_MS = 60 * 60_000;
/** Letters in an hour to one mail address. */
const MAX_LETTERS = 3;
/** Requests per minute in this process, of everybody and of one client: each leaves a row until its letter is composed. */
const MAX_REQUESTS = 300;
const MAX_REQUESTS_OF_CLIENT = 30;
const WINDOW_SECONDS = 60;
/** Maximum length of a mail address. */
const MAX_ADDRESS = 255;
/** Maximum number of users of one mail address who are locked: the first ones, so that all letters to it wait for each other. */
const MAX_LOCKED = 10;

/**
 * Sends users links to set a password in place of a forgotten one. A request stores what was entered, and reads nothing: its answer, its writes and
 * its time are the same whether or not a user has that name or address, and whether or not they get a letter. Both are decided when the letter is
 * composed (`docs/decisions/0066-mail.md#what-is-sent`).
 */
@Injectable()
export class ForgottenPasswordsService {
  private readonly requests = new RateLimit('forgotten_passwords', MAX_REQUESTS, WINDOW_SECONDS);
  private readonly requestsOfClient = new RateLimit(
    'forgotten_passwords',
    MAX_REQUESTS_OF_CLIENT,
    WINDOW_SECONDS,
  );

  constructor(
    private readonly transactions: TransactionsService,
    private readonly letters: LettersService,
    private readonly users: UsersService,
    private readonly links: PasswordLinksService,
    private readonly mailSettings: MailSettingsService,
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
   * @param client the group of the client's address (`addressGroup`)
   * @throws TooManyRequestsError
   */
  async request(nameOrAddress: string, client: string): Promise<void> {
    if (!this.isOn) return;
    // A client that is refused here does not use up what is left to the others.
    await this.requestsOfClient.count(client);
    await this.requests.count('');
    // Lower case can be longer; no user has such an address.
    if (nameOrAddress.toLowerCase().length > MAX_ADDRESS) return;
    const letter = { kind: LetterKind.ForgottenPassword, detail: { name: nameOrAddress } };
    await this.transactions.run((manager) => this.letters.add(manager, [letter]));
  }

  private async compose(letter: ClaimedLetter): Promise<LetterContent | undefined> {
    // After a failure of the mail server, nobody waits for the link any more.
    if (Date.now() - letter.created > HOUR_MS) return undefined;
    const entered = letter.detail?.name ?? '';
    const users = withOneAddress(await this.users.findByNameOrAddress(entered), entered);
    const [first] = users;
    if (!first || !(await this.isWithinLimit(letter, first.mailAddress))) return undefined;
    const chosen = (await this.mailSettings.get(first.id)).language;
    const language = letterLanguage(chosen, first.lang);
    const texts = LETTER_TEXTS[language];
    const parts: LetterPart[] = [];
    let last = 0;
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

  /**
   * Whether a letter is one of the first to a mail address in an hour; notes there that it is. Requests of which nothing is sent do not count, so
   * that their number keeps nobody from a letter.
   */
  private async isWithinLimit(letter: ClaimedLetter, mailAddress: string): Promise<boolean> {
    const address = mailAddress.toLowerCase();
    const ids = await this.users.findIdsByMail(address, MAX_LOCKED);
    const limit = { since: Date.now() - HOUR_MS, most: MAX_LETTERS };
    return this.transactions.run(async (manager) => {
      await this.users.lockAllEvenIfLeft(manager, ids);
      return this.letters.addressWithin(manager, letter, address, limit);
    });
  }
}

/**
 * Returns the users who share one address: the one that was entered, or else that of the user with the login name. People choose their login names:
 * with another's address as theirs, they must not get the letters.
 */
function withOneAddress(users: readonly UserDto[], entered: string): UserDto[] {
  const chosen =
    users.find(({ mailAddress }) => mailAddress.toLowerCase() === entered.toLowerCase()) ?? users[0];
  const address = chosen?.mailAddress.toLowerCase();
  return users.filter(({ mailAddress }) => mailAddress.toLowerCase() === address);
}
