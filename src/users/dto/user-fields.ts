import { ArrayMaxSize, ArrayMinSize, Matches, MaxLength } from 'class-validator';
import { field, type FieldOptions } from '../../http/request/field';
import { MAIL_ADDRESS } from './mail-address';

const MAX_LENGTH = 255;
const SIGN_IN_NAME = /^[A-Za-z0-9][A-Za-z0-9_.@+-]{0,254}$/;

/** Whether a text can be a name to sign in by. */
export const isSignInName = (text: string): boolean => SIGN_IN_NAME.test(text);

/** Declares a name to sign in by. */
export const SignInNameField = (options: FieldOptions): PropertyDecorator =>
  field(options, {
    kind: 'string',
    schema: { type: 'string', minLength: 1, maxLength: MAX_LENGTH, pattern: SIGN_IN_NAME.source },
    message: 'must be 1 to 255 letters, digits or _ . @ + -, a letter or digit first',
    rules: (message) => [Matches(SIGN_IN_NAME, message)],
  });

/** Whether a text can be a mail address. */
export const isMailAddress = (text: string): boolean => text.length <= MAX_LENGTH && MAIL_ADDRESS.test(text);

/** Declares a mail address as defined by `format: email`; `@IsEmail` has other rules for length and top-level domains. */
export const MailAddressField = (options: FieldOptions): PropertyDecorator =>
  field(options, {
    kind: 'string',
    schema: { type: 'string', format: 'email', maxLength: MAX_LENGTH },
    message: 'must be a mail address of at most 255 characters',
    rules: (message) => [MaxLength(MAX_LENGTH, message), Matches(MAIL_ADDRESS, message)],
  });

/** Declares a list of mail addresses; those that differ only in case collapse to the first of each. */
export function MailAddressListField(
  options: FieldOptions & { min: number; max: number },
): PropertyDecorator {
  const { min, max } = options;
  return field(options, {
    kind: 'string[]',
    normalize: withoutRepeatedAddresses,
    schema: {
      type: 'array',
      items: { type: 'string', format: 'email', maxLength: MAX_LENGTH },
      minItems: min,
      maxItems: max,
    },
    message: `must be a list of ${min} to ${max} mail addresses of at most ${MAX_LENGTH} characters`,
    rules: (message) => [
      ArrayMinSize(min, message),
      ArrayMaxSize(max, message),
      MaxLength(MAX_LENGTH, { ...message, each: true }),
      Matches(MAIL_ADDRESS, { ...message, each: true }),
    ],
  });
}

function withoutRepeatedAddresses(value: unknown): unknown[] {
  const addresses = new Map<unknown, unknown>();
  for (const one of value as unknown[]) {
    const key = typeof one === 'string' ? one.toLowerCase() : one;
    if (!addresses.has(key)) addresses.set(key, one);
  }
  return [...addresses.values()];
}
