import { ArrayMaxSize, Matches, MaxLength } from 'class-validator';
import { field, type FieldOptions } from '../../http/request/field';

const KEY = /^[a-z0-9][a-z0-9-]{0,31}$/;
const DOMAIN = /^(?:\*|(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)$/;
/** A role, a colon and the name of a group. */
const GROUP_ROLE = /^[1-6]:\S(?:.*\S)?$/u;
const SCOPES = /^openid(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;
const MAX_LENGTH = 255;
const MAX_ITEMS = 50;
/** Printable ASCII: a secret of other characters could be longer than its column, and OAuth 2.0 has none (RFC 6749, appendix A.2). */
const SECRET = /^[\x20-\x7e]+$/;

/** Declares the key of an identity provider. */
export const ProviderKeyField = (options: FieldOptions): PropertyDecorator =>
  field(options, {
    kind: 'string',
    schema: { type: 'string', minLength: 1, maxLength: 32, pattern: KEY.source },
    message: 'must be 1 to 32 lower-case letters, digits or hyphens, no hyphen first',
    rules: (message) => [Matches(KEY, message)],
  });

/** Declares the scopes that are requested of a provider: `openid`, and others after it. */
export const ProviderScopesField = (options: FieldOptions): PropertyDecorator =>
  field(options, {
    kind: 'string',
    schema: { type: 'string', maxLength: MAX_LENGTH, pattern: SCOPES.source },
    message: `must be openid, and then other scopes, separated by spaces, of at most ${MAX_LENGTH} characters`,
    rules: (message) => [MaxLength(MAX_LENGTH, message), Matches(SCOPES, message)],
  });

/** Declares the client secret of an identity provider. */
export const ClientSecretField = (options: FieldOptions): PropertyDecorator =>
  field(options, {
    kind: 'string',
    normalize: (value) => (value as string).trim(),
    schema: { type: 'string', minLength: 1, maxLength: MAX_LENGTH, pattern: SECRET.source },
    message: `must be 1 to ${MAX_LENGTH} printable ASCII characters`,
    rules: (message) => [MaxLength(MAX_LENGTH, message), Matches(SECRET, message)],
  });

/** Declares a list of domains of mail addresses, in lower case; `*` stands for all. */
export const DomainListField = (options: FieldOptions): PropertyDecorator =>
  listField(options, DOMAIN, 'domains such as example.com, or * for all', lowerCase);

/** Declares a list of roles and groups. */
export const GroupRoleListField = (options: FieldOptions): PropertyDecorator =>
  listField(options, GROUP_ROLE, 'roles with a colon and a group, such as 1:administrators', (text) => text);

function listField(
  options: FieldOptions,
  format: RegExp,
  what: string,
  normalize: (text: string) => string,
): PropertyDecorator {
  return field(options, {
    kind: 'string[]',
    normalize: (values) => [
      ...new Set(
        (values as unknown[]).map((value) => (typeof value === 'string' ? normalize(value) : value)),
      ),
    ],
    schema: {
      type: 'array',
      items: { type: 'string', maxLength: MAX_LENGTH, pattern: format.source },
      maxItems: MAX_ITEMS,
    },
    message: `must be a list of at most ${MAX_ITEMS} ${what}, of at most ${MAX_LENGTH} characters`,
    rules: (message) => [
      ArrayMaxSize(MAX_ITEMS, message),
      MaxLength(MAX_LENGTH, { ...message, each: true }),
      Matches(format, { ...message, each: true }),
    ],
  });
}

const lowerCase = (text: string): string => text.toLowerCase();
