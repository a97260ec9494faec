import { SCOPES, type Scope } from '../access/scopes';
import { EVERYONE, RoleType } from '../access/role-type';
import {
  DateField,
  EnumField,
  EnumListField,
  IdListField,
  NumericEnumField,
  TextField,
} from '../http/request/fields';
import { MAIL_MODE_NAMES, MAIL_TOPICS, type MailModeName, type MailTopic } from '../mail/letter-kind';
import { CsrfField, SignedForm } from '../pages/page-forms.service';
import { MailAddressField, SignInNameField } from '../users/dto/user-fields';

const PASSWORD = { min: 1, max: 255, example: 'correct horse battery staple' } as const;
const NEW_PASSWORD = { ...PASSWORD, min: 8 } as const;
const PATH = {
  description: 'The path of the page to go to.',
  max: 2000,
  optional: true,
  example: '/',
} as const;

/** The form of `/sign-in`. */
export class SignInForm {
  @TextField({ description: 'The login name.', min: 1, max: 255, trim: true, example: 'robin' })
  name: string;

  @TextField({ description: 'The password.', ...PASSWORD })
  password: string;

  @TextField(PATH)
  to?: string;
}

/** The form of `/sign-in/new-password`. */
export class NewPasswordForm extends SignInForm {
  @TextField({ description: 'The new password.', ...NEW_PASSWORD })
  newPassword: string;
}

/** The form of `/sign-in/confirm`. */
export class ConfirmForm extends SignedForm {
  @TextField({ description: 'The password.', ...PASSWORD })
  password: string;

  @TextField(PATH)
  to?: string;
}

/** The form of `/password/{token}`. */
export class SetPasswordForm {
  @TextField({ description: 'The new password.', ...NEW_PASSWORD })
  newPassword: string;
}

/** The form of `/password/{token}` where passwords are switched off. */
export class SignInByLinkForm {
  @TextField(PATH)
  to?: string;
}

/** The form of `/invitation/{token}`. */
export class AcceptInvitationForm extends SetPasswordForm {
  @SignInNameField({ description: 'The login name.', example: 'robin' })
  userId: string;

  @TextField({ description: 'The display name.', min: 1, max: 255, trim: true, example: 'Robin Reporter' })
  name: string;
}

const CODE = { min: 1, max: 64, example: '123456' } as const;

/** The form of `/sign-in/second-factor`. */
export class SecondFactorForm {
  @TextField({ description: 'A code of the authenticator app, or a recovery code.', ...CODE })
  code: string;

  @TextField(PATH)
  to?: string;
}

/** A value of WebAuthn in base64url. */
const BinaryField = (description: string, max: number, optional?: true): PropertyDecorator =>
  TextField({ description, min: 1, max, optional, example: 'AAEC' });

const ClientDataField = (): PropertyDecorator => BinaryField('What the browser asked for.', 4000);

/** The forms of `/sign-in/passkey` and `/sign-in/second-factor/passkey`. */
export class PasskeyForm {
  @BinaryField('The id of the credential.', 1400)
  credentialId: string;

  @ClientDataField()
  clientData: string;

  @BinaryField('What the authenticator says.', 2000)
  authenticatorData: string;

  @BinaryField('The signature of both.', 2000)
  signature: string;

  @BinaryField('The user of the passkey.', 100, true)
  userHandle?: string;

  @TextField(PATH)
  to?: string;
}

/** The form of `/sign-in/confirm/passkey`. */
export class ConfirmPasskeyForm extends PasskeyForm {
  @CsrfField()
  csrf: string;
}

const PASSKEY_NAME = {
  description: 'The name of the passkey.',
  min: 1,
  max: 100,
  trim: true,
  notBlank: true,
  example: 'Phone',
} as const;

/** The form of `/account/factors/passkeys`. */
export class AddPasskeyForm extends SignedForm {
  @TextField(PASSKEY_NAME)
  name: string;

  @ClientDataField()
  clientData: string;

  @BinaryField('The new credential.', 10_000)
  attestation: string;

  @TextField({
    description: 'How the browser reaches the authenticator, separated by commas.',
    max: 100,
    optional: true,
    example: 'internal',
  })
  transports?: string;
}

/** The form of `/account/factors/passkeys/{passkeyId}`. */
export class RenamePasskeyForm extends SignedForm {
  @TextField(PASSKEY_NAME)
  name: string;
}

/** The form of `/account/factors/app`. */
export class ConfirmAppForm extends SignedForm {
  @TextField({ description: 'The first code of the authenticator app.', ...CODE })
  code: string;
}

/** The form of `/account/password`. */
export class ChangePasswordForm extends SignedForm {
  @TextField({ description: 'The current password.', ...PASSWORD })
  password: string;

  @TextField({ description: 'The new password.', ...NEW_PASSWORD })
  newPassword: string;
}

/** The form of `/account`. */
export class ProfileForm extends SignedForm {
  @TextField({ description: 'The display name.', min: 1, max: 255, trim: true, example: 'Robin Reporter' })
  name: string;

  @MailAddressField({ description: 'The mail address.', example: 'robin@example.com' })
  mailAddress: string;
}

/** The form of `/account/keys`. */
export class AddKeyForm extends SignedForm {
  @TextField({ description: 'The purpose of the key.', min: 1, max: 255, trim: true, example: 'Script' })
  name: string;

  @EnumListField({ description: 'What the key may do.', values: SCOPES, optional: true, example: ['read'] })
  scopes?: Scope[];

  @TextField({
    description: 'The AI agent that uses the key.',
    max: 100,
    trim: true,
    optional: true,
    example: '',
  })
  agent?: string;

  @DateField({ description: 'The last day of the key.', optional: true, example: '2030-12-31' })
  expires?: string;
}

/** The form of `/account/invitations`. */
export class InvitationsForm extends SignedForm {
  @TextField({
    description: 'The mail addresses, one per line.',
    min: 1,
    max: 30_000,
    example: 'kim@example.com',
  })
  mailAddresses: string;

  @NumericEnumField({ description: 'The role.', codes: EVERYONE, example: RoleType.NormalUser })
  roleType: RoleType;

  @IdListField({ description: 'Ids of the projects.', optional: true, example: [1] })
  projectIds: number[] = [];
}

/** The form of `/password/forgotten`. */
export class ForgottenPasswordForm {
  @TextField({
    description: 'The login name or the mail address.',
    min: 1,
    max: 255,
    trim: true,
    notBlank: true,
    example: 'robin',
  })
  name: string;
}

const MODE = { values: MAIL_MODE_NAMES, example: 'each' } as const;

/** The form of `/account/notifications`. */
export class MailSettingsForm extends SignedForm {
  @EnumField({ description: 'When letters are sent.', ...MODE })
  mode: MailModeName;

  @EnumListField({ description: 'The topics of letters.', values: MAIL_TOPICS, optional: true, example: [] })
  topics: MailTopic[] = [];

  @EnumField({
    description: 'The hour of the digest.',
    values: Array.from({ length: 24 }, (_, hour) => String(hour)),
    example: '8',
  })
  digestHour: string;

  @TextField({ description: 'The time zone.', min: 1, max: 64, trim: true, example: 'Asia/Tokyo' })
  timeZone: string;

  @EnumField({ description: 'The language.', values: ['user', 'en', 'ja'], example: 'user' })
  language: string;
}

/** The form of the page after the link of a letter has ended letters. */
export class RestartLettersForm {
  @EnumField({ description: 'When letters are sent.', ...MODE })
  mode: MailModeName;
}
