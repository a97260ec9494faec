import { Injectable } from '@nestjs/common';
import { type Language } from '../../pages/language';
import { type ClaimedLetter } from '../data/mail-letter.repository';
import { type LetterKind } from '../letter-kind';
import { type LetterContent } from '../letters/letter-content';
import { type RoleType } from '../../access/role-type';

/** The user who gets a letter. */
export interface LetterUser {
  id: number;
  userId: string;
  name: string;
  roleType: RoleType;
  /** Their current mail address. */
  address: string;
  language: Language;
}

/** Returns the content of a letter, as of now; undefined if there is no reason to send it any longer. */
export type ComposeLetter = (
  letter: ClaimedLetter,
  user: LetterUser | undefined,
) => Promise<LetterContent | undefined>;

/** Registry of the kinds of letters: modules register how theirs are composed, so that mail does not depend on them. */
@Injectable()
export class LetterKindsService {
  private readonly composers = new Map<LetterKind, ComposeLetter>();

  register(kind: LetterKind, compose: ComposeLetter): void {
    this.composers.set(kind, compose);
  }

  /** Composes a letter of any kind. */
  async compose(letter: ClaimedLetter, user: LetterUser | undefined): Promise<LetterContent | undefined> {
    return this.composers.get(letter.kind)?.(letter, user);
  }
}
