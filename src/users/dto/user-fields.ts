import { Matches, MaxLength } from 'class-validator';
import { field, type FieldOptions } from '../../http/request/field';
import { MAIL_ADDRESS } from './mail-address';

const MAX_LENGTH = 255;
const SIGN_IN_NAME = /^[A-Za-z0-9][A-Za-z0-9_.@+-]{0,254}$/;

/** Declares a name to sign in by. */
export const SignInNameField = (options: FieldOptions): PropertyDecorator =>
  field(options, {
    kind: 'string',
    schema: { type: 'string', minLength: 1, maxLength: MAX_LENGTH, pattern: SIGN_IN_NAME.source },
    message: 'must be 1 to 255 letters, digits or _ . @ + -, a letter or digit first',
    rules: (message) => [Matches(SIGN_IN_NAME, message)],
  });

/** Declares a mail address as defined by `format: email`; `@IsEmail` has other rules for length and top-level domains. */
export const MailAddressField = (options: FieldOptions): PropertyDecorator =>
  field(options, {
    kind: 'string',
    schema: { type: 'string', format: 'email', maxLength: MAX_LENGTH },
    message: 'must be a mail address of at most 255 characters',
    rules: (message) => [MaxLength(MAX_LENGTH, message), Matches(MAIL_ADDRESS, message)],
  });
