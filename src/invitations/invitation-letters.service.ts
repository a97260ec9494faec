import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { RoleType } from '../access/role-type';
import { Environment } from '../config/environment';
import { TransactionsService } from '../database/transactions/transactions.service';
import { type ClaimedLetter } from '../mail/data/mail-letter.repository';
import { LetterKind } from '../mail/letter-kind';
import { type LetterContent, shownTime } from '../mail/letters/letter-content';
import { LETTER_TEXTS, letterLanguage } from '../mail/letters/letter-texts';
import { LetterKindsService } from '../mail/outbox/letter-kinds.service';
import { LettersService } from '../mail/outbox/letters.service';
import { SpaceService } from '../space/space.service';
import { generateToken, hashToken } from '../users/token';
import { UsersService } from '../users/users.service';
import { InvitationRepository } from './data/invitation.repository';

/**
 * Letters with invitations. The link in a letter has a token of its own, which is made when it is sent, so that no stored letter contains one. An
 * attempt that is repeated replaces it.
 */
@Injectable()
export class InvitationLettersService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly letters: LettersService,
    private readonly invitations: InvitationRepository,
    private readonly users: UsersService,
    private readonly space: SpaceService,
    private readonly environment: Environment,
    kinds: LetterKindsService,
  ) {
    kinds.register(LetterKind.Invitation, (letter) => this.compose(letter));
  }

  /** Whether invitations are also sent by mail. */
  get isOn(): boolean {
    return this.letters.isOn;
  }

  /** Writes the letters of invitations. */
  add(manager: EntityManager, invitationIds: readonly number[]): Promise<void> {
    const letters = invitationIds.map((subjectId) => ({
      kind: LetterKind.Invitation,
      detail: { subjectId },
    }));
    return this.letters.add(manager, letters);
  }

  private async compose({ detail }: ClaimedLetter): Promise<LetterContent | undefined> {
    const id = detail?.subjectId ?? 0;
    // It may have been revoked, replaced or accepted since.
    const invitation = await this.invitations.findOpenById(id, Date.now());
    if (!invitation) return undefined;
    const { createdUserId, mailAddress, expires } = invitation;
    // The link of a former Administrator does not work.
    const role = createdUserId === null ? undefined : await this.users.findEnabledRole(createdUserId);
    if (createdUserId !== null && role !== RoleType.Administrator) return undefined;
    const inviter = createdUserId === null ? undefined : await this.users.get(createdUserId);
    const { name: space } = await this.space.get();
    const token = generateToken();
    await this.transactions.run((manager) =>
      this.invitations.setMailedTokenHash(manager, id, hashToken(token)),
    );
    const language = letterLanguage(null, inviter?.lang ?? 'en');
    const texts = LETTER_TEXTS[language];
    const until = shownTime(expires);
    return {
      language,
      to: { address: mailAddress },
      sender: inviter?.name,
      subject: texts.invitationSubject(space),
      parts: [
        { text: texts.invitation(inviter?.name, space) },
        { link: { text: texts.acceptInvitation, url: this.environment.webUrl(`/invitation/${token}`) } },
        { text: texts.linkWorksUntil(until) },
      ],
      reason: texts.invitationReason,
      canBeEnded: false,
    };
  }
}
