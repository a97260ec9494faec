import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { Environment } from '../../config/environment';
import { SpaceService } from '../../space/space.service';
import { isMailAddress } from '../../users/dto/user-fields';
import { generateToken, hashToken } from '../../users/token';
import { type ClaimedLetter, MailLetterRepository } from '../data/mail-letter.repository';
import { MAIL_SETTINGS_PATH } from '../mail-settings-path';
import { MailMode, URGENT_KINDS } from '../letter-kind';
import { type LetterContent } from '../letters/letter-content';
import { buildMessage } from '../letters/letter-message';
import { LetterKindsService } from '../outbox/letter-kinds.service';
import { SmtpConnections } from '../smtp/smtp-connections';
import { domainOf, explainSmtpFailure, type SmtpError, type SmtpFailure } from '../smtp/smtp-failure';
import { LEASE_MARGIN_MS } from '../../deliveries/dispatcher';
import { type LetterResult } from './mail-queue';
import { MailSettings } from './mail-settings';
import { RecipientDomains, type RecipientOutcome } from './recipient-domains';
import { type Recipient, RecipientsService } from './recipients.service';

const WITHHELD: LetterResult = { error: 'Not sent: there is no reason to any longer.', isWithheld: true };

/** Makes one attempt to send a letter: composes it as of now, if its recipient may still get it, and passes it to the mail server. */
@Injectable()
export class LetterSender implements OnApplicationShutdown {
  private readonly logger = new Logger(LetterSender.name);
  private readonly connections?: SmtpConnections;
  private readonly domains: RecipientDomains;

  constructor(
    private readonly settings: MailSettings,
    private readonly environment: Environment,
    private readonly transactions: TransactionsService,
    private readonly letters: MailLetterRepository,
    private readonly recipients: RecipientsService,
    private readonly kinds: LetterKindsService,
    private readonly space: SpaceService,
  ) {
    const { server, timeout } = settings;
    if (server) this.connections = new SmtpConnections(server, timeout);
    this.domains = new RecipientDomains(settings);
  }

  onApplicationShutdown(): void {
    this.connections?.close();
  }

  /** Makes an attempt. Never rejects. */
  async send(letter: ClaimedLetter): Promise<LetterResult> {
    let composed: { content: LetterContent; message: Buffer; isPaused: boolean } | undefined;
    try {
      composed = await this.compose(letter);
    } catch (error) {
      this.logger.error({ err: error, letterId: letter.id }, 'Could not compose a letter');
      return failedBefore('The letter could not be composed: see the log.');
    }
    if (!composed) return WITHHELD;
    const { content, message, isPaused: wasPaused } = composed;
    const { address } = content.to;
    if (!isMailAddress(address)) {
      return { ...failedBefore('The mail address has a form that mail servers refuse.'), isFinal: true };
    }
    if (letter.leaseUntil - Date.now() < this.settings.timeout + LEASE_MARGIN_MS) {
      return failedBefore('Composing the letter took too long.');
    }
    const now = Date.now();
    const admission = this.domains.enter(domainOf(address), now);
    if ('until' in admission) return { ...failedBefore(admission.error), deferredUntil: admission.until };
    const leave = (outcome: RecipientOutcome): void => {
      const end = Date.now();
      this.domains.leave(domainOf(address), admission, outcome, { duration: end - now, now: end });
    };
    try {
      const { from } = this.settings;
      await this.connections?.send({ from, to: address, message }, admission.recipientTimeout);
    } catch (error) {
      const failure = explainSmtpFailure(error as SmtpError, address);
      leave(outcomeOf(failure));
      return resultOf(failure, address);
    }
    leave('answered');
    await this.noteSent(letter);
    return { error: '', address, wasPaused };
  }

  /**
   * Notes at once that the mail server has the letter, because it would come twice if the process were killed before that is known. The result of
   * the attempt is recorded later, together with those of others.
   */
  private async noteSent(letter: ClaimedLetter): Promise<void> {
    try {
      await this.letters.noteSent(letter, Date.now());
    } catch (error) {
      this.logger.warn({ err: error, letterId: letter.id }, 'Could not note at once that a letter was sent');
    }
  }

  private async compose(
    letter: ClaimedLetter,
  ): Promise<{ content: LetterContent; message: Buffer; isPaused: boolean } | undefined> {
    const recipient = letter.userId === null ? undefined : await this.recipients.find(letter.userId);
    if (letter.userId !== null && (!recipient || !wants(recipient, letter))) return undefined;
    const content = await this.kinds.compose(letter, recipient?.user);
    if (!content) return undefined;
    const message = await buildMessage(content, {
      from: this.settings.from,
      spaceName: (await this.space.get()).name,
      id: `letter-${letter.id}.${letter.created}`,
      created: letter.created,
      endUrl: content.canBeEnded ? await this.endUrlOf(letter) : undefined,
      settingsUrl: this.environment.webUrl(MAIL_SETTINGS_PATH),
    });
    return { content, message, isPaused: recipient?.isPaused ?? false };
  }

  /** Makes the link with which the recipient ends letters. Only the hash of its token is stored. */
  private async endUrlOf({ id }: ClaimedLetter): Promise<string> {
    const token = generateToken();
    await this.transactions.run((manager) => this.letters.setUnsubscribeHash(manager, id, hashToken(token)));
    return this.environment.webUrl(`/mail/unsubscribe/${token}`);
  }
}

/** Whether a user still wants a letter, and their address accepts any. */
const wants = ({ choices, isPaused }: Recipient, { kind }: ClaimedLetter): boolean =>
  URGENT_KINDS.includes(kind) || (choices.mode !== MailMode.None && !isPaused);

const failedBefore = (error: string): LetterResult => ({ error, isItsOwnFailure: true, isUnsent: true });

const resultOf = (
  { message: error, step, isOfServer, isFinal }: SmtpFailure,
  address: string,
): LetterResult => ({
  error,
  address,
  isItsOwnFailure: !isOfServer,
  isFinal,
  isAddressRefused: step === 'recipient' && isFinal,
  isCertain: step === 'login',
});

/** Returns what a failure says about the answer to the recipient. */
function outcomeOf({ message, step }: SmtpFailure): RecipientOutcome {
  if (step === 'silence') return { hung: message };
  return step === 'recipient' || step === 'policy' || step === 'letter' ? 'answered' : 'unasked';
}
