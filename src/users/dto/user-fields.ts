import { field, type FieldOptions } from '../../http/request/fields';
import { isMailAddress } from './mail-address';

const MAX_LENGTH = 255;
const SIGN_IN_NAME = /^[A-Za-z0-9][A-Za-z0-9_.@+-]{0,254}$/;

/** The name to sign in by. */
export const SignInNameField = (options: FieldOptions): PropertyDecorator =>
  field(options, {
    kind: 'string',
    schema: { type: 'string', minLength: 1, maxLength: MAX_LENGTH, pattern: SIGN_IN_NAME.source },
    message: 'must be 1 to 255 letters, digits or _ . @ + -, a letter or digit first',
    isValid: (value) => typeof value === 'string' && SIGN_IN_NAME.test(value),
  });

/** A mail address in the sense of `format: email`. */
export const MailAddressField = (options: FieldOptions): PropertyDecorator =>
  field(options, {
    kind: 'string',
    schema: { type: 'string', format: 'email', maxLength: MAX_LENGTH },
    message: 'must be a mail address of at most 255 characters',
    isValid: (value) => typeof value === 'string' && value.length <= MAX_LENGTH && isMailAddress(value),
  });
