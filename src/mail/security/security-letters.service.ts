import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type AuditedChange, AuditLogService } from '../../audit-log/audit-log.service';
import { Environment } from '../../config/environment';
import { UsersService } from '../../users/users.service';
import { type ClaimedLetter, type NewLetter } from '../data/mail-letter.repository';
import { LetterKind } from '../letter-kind';
import { excerptOf, type LetterContent, shownTime } from '../letters/letter-content';
import { LETTER_TEXTS, type LetterTexts } from '../letters/letter-texts';
import { LetterKindsService, type LetterUser } from '../outbox/letter-kinds.service';
import { LettersService } from '../outbox/letters.service';
import { MailSettings } from '../sending/mail-settings';

type SecurityEvent = keyof LetterTexts['security'];

/**
 * Letters that tell users of changes of how they sign in, whoever made them. The audit log records all of these, and its entry and the letter are
 * written in the same transaction.
 */
@Injectable()
export class SecurityLettersService {
  constructor(
    private readonly letters: LettersService,
    private readonly users: UsersService,
    private readonly environment: Environment,
    kinds: LetterKindsService,
    auditLog: AuditLogService,
    settings: MailSettings,
  ) {
    kinds.register(LetterKind.Security, (letter, user) => Promise.resolve(this.compose(letter, user)));
    if (settings.isOn) auditLog.onRecorded((manager, change) => this.add(manager, change));
  }

  private async add(manager: EntityManager, change: AuditedChange): Promise<void> {
    const letters: NewLetter[] = [];
    for (const event of eventsOf(change)) {
      const userId = await this.userOf(manager, change);
      if (userId === undefined) continue;
      const name = nameOf(change);
      const detail = { event, ...(name !== undefined && { name }) };
      letters.push({ kind: LetterKind.Security, userId, address: addressOf(event, change), detail });
    }
    await this.letters.add(manager, letters);
  }

  /** Returns the user whom a change concerns. An entry about a key or a passkey names its user by their login name. */
  private async userOf(manager: EntityManager, change: AuditedChange): Promise<number | undefined> {
    if (!isNamedByUser(change)) return change.subject.id;
    const { from, to } = valueOf(change, 'userId') ?? { from: null, to: null };
    const userId = to ?? from;
    return userId === null ? undefined : this.users.findIdByName(userId, manager);
  }

  private compose(
    { detail, address, created }: ClaimedLetter,
    user: LetterUser | undefined,
  ): LetterContent | undefined {
    const event = detail?.event as SecurityEvent | undefined;
    if (!user || event === undefined) return undefined;
    const { language } = user;
    const texts = LETTER_TEXTS[language];
    const [subject, text] = texts.security[event] as [string, string];
    const when = shownTime(created);
    return {
      language,
      to: { ...user, address: address ?? user.address },
      subject,
      parts: [
        { text },
        ...(detail?.name === undefined ? [] : [{ text: texts.nameOf(excerptOf(detail.name)) }]),
        { text: texts.securityAccount(user.userId, when) },
        { text: texts.notYou },
        { link: { text: texts.toAccount, url: this.environment.webUrl('/account') } },
      ],
      reason: texts.securityReason,
      canBeEnded: false,
    };
  }
}

/** Returns what a change means for the security of its user's account. */
function eventsOf(change: AuditedChange): SecurityEvent[] {
  switch (change.action) {
    case 'user.update':
      return (['password', 'mailAddress'] as const).filter((field) => valueOf(change, field) !== undefined);
    case 'secondFactor.add':
      return ['factorAdded'];
    case 'secondFactor.delete':
      return ['factorRemoved'];
    case 'recoveryCodes.renew':
      return ['codesRenewed'];
    case 'passkey.add':
      return ['passkeyAdded'];
    case 'passkey.delete':
      return ['passkeyRemoved'];
    case 'identity.add':
      return ['identityAdded'];
    case 'identity.delete':
      return ['identityRemoved'];
    case 'apiKey.add':
      return ['keyAdded'];
    default:
      return [];
  }
}

/** Whether an entry is about something that has a name which its user chose. */
const isNamedByUser = ({ action }: AuditedChange): boolean =>
  ['apiKey.add', 'passkey.add', 'passkey.delete'].includes(action);

/** Returns the name of a key or a passkey, or the key of an identity provider. */
function nameOf(change: AuditedChange): string | undefined {
  if (isNamedByUser(change)) return change.subject.name;
  const provider = valueOf(change, 'provider');
  return provider?.to ?? provider?.from ?? undefined;
}

/** Another mail address is reported to the former one. */
const addressOf = (event: SecurityEvent, change: AuditedChange): string | null =>
  event === 'mailAddress' ? (valueOf(change, 'mailAddress')?.from ?? null) : null;

const valueOf = (
  { changes = [] }: AuditedChange,
  name: string,
): { from: string | null; to: string | null } | undefined => changes.find(({ field }) => field === name);
