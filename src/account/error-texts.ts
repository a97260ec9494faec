import { type Request } from 'express';
import {
  type DomainError,
  ExpiredChallengeError,
  InvalidRequestError,
  WrongCodeError,
  WrongPasskeyError,
} from '../errors/domain-errors';
import { fieldsOf } from '../http/request/field';
import { AcceptedInvitationError, AlreadyUsersError } from '../invitations/invitation-errors';
import { type Language, languageOf } from '../pages/language';
import { generalTextOf } from '../pages/page-errors.filter';
import { formOf } from '../pages/page-forms.service';
import { KnownPasskeyError, TooManyPasskeysError } from '../second-factors/passkeys/passkey-errors';
import { KnownAppError, UnreadableAppError } from '../second-factors/second-factor-errors';
import {
  CommonPasswordError,
  NewPasswordNeededError,
  PasswordsOffError,
  WrongPasswordError,
} from '../sign-in/sign-in-errors';
import { PastExpiryError, TakenUserIdError } from '../users/user-errors';
import { LastWayInError } from '../users/ways-in.service';
import { WrongLinesError } from './address-lines';
import { FACTOR_TEXTS } from './factor-texts';
import { labelOf, RULES, UNUSABLE } from './form-labels';
import { INVITATION_TEXTS } from './invitation-texts';
import { SIGN_IN_PATH } from '../pages/page-errors.filter';
import { SSO_TEXTS } from './sso-texts';
import { TEXTS } from './texts';

type ErrorClass<E> = abstract new (...parameters: never[]) => E;
type Text<E> = (language: Language, error: E, request: Request) => string;

/** The text of each error that has one of its own, in every language of the pages. */
const OWN_TEXTS: readonly (readonly [ErrorClass<DomainError>, Text<DomainError>])[] = [
  own(WrongPasswordError, (language, _error, { path }) => {
    const { wrongPassword, wrongCurrentPassword } = TEXTS[language];
    return path === SIGN_IN_PATH ? wrongPassword : wrongCurrentPassword;
  }),
  own(CommonPasswordError, (language) => TEXTS[language].commonPassword),
  own(NewPasswordNeededError, (language) => TEXTS[language].newNeeded),
  own(PasswordsOffError, (language) => SSO_TEXTS[language].passwordsOff),
  own(LastWayInError, (language) => SSO_TEXTS[language].lastWayIn),
  own(WrongCodeError, (language) => FACTOR_TEXTS[language].wrongCode),
  own(UnreadableAppError, (language) => FACTOR_TEXTS[language].unreadableApp),
  own(KnownAppError, (language) => FACTOR_TEXTS[language].knownApp),
  own(WrongPasskeyError, (language) => FACTOR_TEXTS[language].wrongPasskey),
  own(ExpiredChallengeError, (language) => FACTOR_TEXTS[language].expiredPasskey),
  own(KnownPasskeyError, (language) => FACTOR_TEXTS[language].knownPasskey),
  own(TooManyPasskeysError, (language) => FACTOR_TEXTS[language].tooManyPasskeys),
  own(TakenUserIdError, (language) => INVITATION_TEXTS[language].nameTaken),
  own(WrongLinesError, (language, { lines }) => INVITATION_TEXTS[language].wrongAddresses(listed(lines))),
  own(AlreadyUsersError, (language, { addresses }) =>
    INVITATION_TEXTS[language].alreadyUsers(listed(addresses)),
  ),
  own(AcceptedInvitationError, (language) => INVITATION_TEXTS[language].accepted),
  own(PastExpiryError, (language) => TEXTS[language].pastExpiry),
];

function own<E extends DomainError>(
  errorClass: ErrorClass<E>,
  text: Text<E>,
): readonly [ErrorClass<DomainError>, Text<DomainError>] {
  return [errorClass, text as Text<DomainError>];
}

/**
 * Returns what a page says about an error, in the language of the browser: its own text, the rules of the fields of the form that was sent, or what
 * its code means (`docs/decisions/0061-sign-in.md#texts-of-errors`).
 */
export function errorTextOf(error: unknown, request: Request): string {
  const language = languageOf(request);
  const found = OWN_TEXTS.find(([errorClass]) => error instanceof errorClass);
  if (found) return found[1](language, error as DomainError, request);
  if (error instanceof InvalidRequestError)
    return fieldTextsOf(error, request) ?? generalTextOf(error, request);
  return generalTextOf(error, request);
}

/** Returns undefined if the error is about anything but fields that people fill in. */
function fieldTextsOf({ problems }: InvalidRequestError, request: Request): string | undefined {
  const language = languageOf(request);
  const form = formOf(request);
  const definitions = form && fieldsOf(form);
  const texts = problems.map(({ message, moreInfo: field }) => {
    const label = labelOf(form, field, language);
    const definition = definitions?.get(field);
    if (label === undefined || !definition) return undefined;
    const isRule = message === `${field} ${definition.message}.`;
    return isRule ? RULES[language](label, definition) : UNUSABLE[language](label);
  });
  return texts.every((text) => text !== undefined) ? texts.join(' ') : undefined;
}

/** Number of addresses that an error names: the form may have thousands of short lines. */
const NAMED = 20;

const listed = (texts: readonly string[]): string =>
  texts.slice(0, NAMED).join(', ') + (texts.length > NAMED ? ', …' : '');
