import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy, ValidateIf } from 'class-validator';
import { parseUrl } from '../../config/parse-url';
import { isCalendarDate } from './date';

/** How the text of a query string or form becomes a field's value. */
export type FieldKind = 'string' | 'integer' | 'number' | 'boolean' | 'integer[]' | 'string[]';

/** What the author of a request DTO says of any field. */
export interface FieldOptions {
  description: string;
  /** May be absent. */
  optional?: true;
  /** May be null: in JSON as such, in a form or query as nothing after the `=`. */
  nullable?: true;
  example?: unknown;
}

/** What is known of one field of a request. */
export interface FieldDefinition {
  options: FieldOptions;
  kind: FieldKind;
  /** Applied to a value of the right type before it is validated, such as trimming. */
  normalize?: (value: unknown) => unknown;
  /** Its type in OpenAPI. */
  schema: { type: string; default?: unknown; enum?: unknown[]; [keyword: string]: unknown };
  /** What it must be, after its name. */
  message: string;
  isValid: (value: unknown) => boolean;
}

const MAX_IDS = 1000;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;
const FIELDS = Symbol('request fields');

type FieldMap = Map<string, FieldDefinition>;

/** The fields of a request DTO by name, inherited ones included; undefined for any other class. */
export function fieldsOf(dto: abstract new () => unknown): FieldMap | undefined {
  return Reflect.getMetadata(FIELDS, dto.prototype as object) as FieldMap | undefined;
}

/** Length as databases and people count it: code points, not UTF-16 units. */
export function codePointLength(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    // A high surrogate and a low one are one character.
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      length--;
      at++;
    }
  }
  return length;
}

/** Whether a text has at most so many characters; a text of any length is told at once. */
export const isNoLongerThan = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= max * 2 && codePointLength(text) <= max);

/** Well-formed Unicode without NUL (`docs/decisions/0005-requests.md`). */
export const isCleanText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** A text; `min` and `max` count characters. A name is trimmed; a text that must not be blank may not be only space. */
export function TextField(
  options: FieldOptions & { min?: number; max: number; trim?: true; notBlank?: true },
): PropertyDecorator {
  const { min = 0, max, trim, notBlank } = options;
  const rule = min > 0 ? `${min} to ${format(max)} characters` : `at most ${format(max)} characters`;
  return field(options, {
    kind: 'string',
    normalize: trim && ((value) => (value as string).trim()),
    schema: { type: 'string', minLength: min || undefined, maxLength: max },
    message: `must be well-formed text of ${rule}${notBlank ? ', not only spaces' : ''}`,
    isValid: (value) =>
      typeof value === 'string' &&
      isNoLongerThan(value, max) &&
      isCleanText(value) &&
      codePointLength(value) >= min &&
      !(notBlank && value.trim() === ''),
  });
}

/** A colour `#RRGGBB`, put in lower case. */
export function ColorField(options: FieldOptions): PropertyDecorator {
  return field(options, {
    kind: 'string',
    normalize: (value) => (value as string).toLowerCase(),
    schema: { type: 'string', pattern: '^#[0-9A-Fa-f]{6}$' },
    message: 'must be a colour in the form #RRGGBB',
    isValid: (value) => typeof value === 'string' && /^#[0-9a-f]{6}$/.test(value),
  });
}

/** An absolute http or https address of at most `max` characters. */
export function UrlField(options: FieldOptions & { max: number }): PropertyDecorator {
  return field(options, {
    kind: 'string',
    schema: { type: 'string', format: 'uri', maxLength: options.max },
    message: `must be an http or https URL of at most ${format(options.max)} characters, without user or password`,
    isValid: (value) => typeof value === 'string' && isNoLongerThan(value, options.max) && isHttpUrl(value),
  });
}

/** true or false. */
export function BooleanField(options: FieldOptions & { default?: boolean }): PropertyDecorator {
  return field(options, {
    kind: 'boolean',
    schema: { type: 'boolean', default: options.default },
    message: 'must be true or false',
    isValid: (value) => typeof value === 'boolean',
  });
}

/** A whole number from `min` to `max`. */
export function IntegerField(
  options: FieldOptions & { min: number; max: number; default?: number; format?: 'int32' | 'int64' },
): PropertyDecorator {
  const { min, max } = options;
  return field(options, {
    kind: 'integer',
    schema: {
      type: 'integer',
      format: options.format ?? 'int32',
      minimum: min,
      maximum: max,
      default: options.default,
    },
    message: `must be a whole number from ${format(min)} to ${format(max)}`,
    isValid: (value) => Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max,
  });
}

/** A number from `min` to `max` with at most `scale` decimals. */
export function DecimalField(
  options: FieldOptions & { min: number; max: number; scale: number },
): PropertyDecorator {
  const { min, max, scale } = options;
  // Not `multipleOf`: by binary fractions, 0.29 is none of 0.01.
  const description = `${options.description} At most ${scale} decimals.`;
  return field(
    { ...options, description },
    {
      kind: 'number',
      schema: { type: 'number', format: 'double', minimum: min, maximum: max },
      message: `must be a number from ${format(min)} to ${format(max)} with at most ${scale} decimals`,
      isValid: (value) =>
        typeof value === 'number' && value >= min && value <= max && Number(value.toFixed(scale)) === value,
    },
  );
}

/** A point in time, `yyyy-MM-ddTHH:mm:ssZ` or with another offset. */
export function TimeField(options: FieldOptions): PropertyDecorator {
  return field(options, {
    kind: 'string',
    schema: { type: 'string', format: 'date-time' },
    message: 'must be a time such as 2026-01-31T09:30:00Z',
    isValid: (value) =>
      typeof value === 'string' &&
      TIME.test(value) &&
      isCalendarDate(value.slice(0, 10)) &&
      !Number.isNaN(Date.parse(value)),
  });
}

/** A day of the calendar, `yyyy-MM-dd`, from the year 1000; it stays a text. */
export function DateField(options: FieldOptions): PropertyDecorator {
  return field(options, {
    kind: 'string',
    schema: { type: 'string', format: 'date' },
    message: 'must be a date such as 2026-01-31',
    isValid: (value) => typeof value === 'string' && isCalendarDate(value) && !value.startsWith('0'),
  });
}

/** One of a few words. */
export function EnumField(
  options: FieldOptions & { values: readonly string[]; default?: string },
): PropertyDecorator {
  return field(options, {
    kind: 'string',
    schema: { type: 'string', enum: [...options.values], default: options.default },
    message: `must be ${options.values.join(' or ')}`,
    isValid: (value) => typeof value === 'string' && options.values.includes(value),
  });
}

/** A list of a few words; duplicates collapse. */
export function EnumListField(options: FieldOptions & { values: readonly string[] }): PropertyDecorator {
  const known = new Set<unknown>(options.values);
  return field(options, {
    kind: 'string[]',
    normalize: withoutDuplicates,
    schema: {
      type: 'array',
      items: { type: 'string', enum: [...options.values] },
      maxItems: MAX_IDS,
    },
    message: `must be a list of ${options.values.join(', ')}`,
    isValid: (value) =>
      Array.isArray(value) && value.length <= MAX_IDS && value.every((word) => known.has(word)),
  });
}

/** One id. */
export const IdField = (options: FieldOptions): PropertyDecorator =>
  IntegerField({ ...options, min: 1, max: Number.MAX_SAFE_INTEGER, format: 'int64' });

/** A list of ids; duplicates collapse, the first of each stays. */
export function IdListField(options: FieldOptions & { min?: number }): PropertyDecorator {
  const { min = 0 } = options;
  return field(options, {
    kind: 'integer[]',
    normalize: withoutDuplicates,
    schema: {
      type: 'array',
      items: { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      minItems: min || undefined,
      maxItems: MAX_IDS,
    },
    message: `must be a list of ${min > 0 ? `${min} to ${format(MAX_IDS)}` : `at most ${format(MAX_IDS)}`} ids`,
    isValid: (value) =>
      Array.isArray(value) && value.length >= min && value.length <= MAX_IDS && value.every(isId),
  });
}

/** A number out of a known set. */
export function NumericEnumField(
  options: FieldOptions & { codes: readonly number[]; default?: number },
): PropertyDecorator {
  return field(options, {
    kind: 'integer',
    schema: { type: 'integer', format: 'int32', enum: [...options.codes], default: options.default },
    message: `must be one of ${options.codes.join(', ')}`,
    isValid: (value) => typeof value === 'number' && options.codes.includes(value),
  });
}

/** A list of numbers out of a known set, such as activity types; duplicates collapse. */
export function NumericEnumListField(
  options: FieldOptions & { codes: readonly number[] },
): PropertyDecorator {
  const known = new Set<unknown>(options.codes);
  return field(options, {
    kind: 'integer[]',
    normalize: withoutDuplicates,
    schema: {
      type: 'array',
      items: { type: 'integer', format: 'int32', enum: [...options.codes] },
      maxItems: MAX_IDS,
    },
    message: `must be a list of ${options.codes.join(', ')}`,
    isValid: (value) =>
      Array.isArray(value) && value.length <= MAX_IDS && value.every((code) => known.has(code)),
  });
}

const withoutDuplicates = (value: unknown): unknown[] => [...new Set(value as unknown[])];

const isId = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;

const format = (number: number): string => number.toLocaleString('en');

function isHttpUrl(text: string): boolean {
  if (!isCleanText(text) || /\s/.test(text) || !/^https?:\/\//i.test(text)) return false;
  const url = parseUrl(text);
  return url !== undefined && url.hostname !== '' && url.username === '' && url.password === '';
}

/** Registers, validates and documents a field in one go, so that the three cannot disagree. */
export function field(options: FieldOptions, parts: Omit<FieldDefinition, 'options'>): PropertyDecorator {
  const { description, optional, nullable, example } = options;
  const schema = Object.fromEntries(Object.entries(parts.schema).filter(([, value]) => value !== undefined));
  return applyDecorators(
    register({ ...parts, options }),
    ApiProperty({
      ...schema,
      ...(nullable && { nullable, ...(parts.schema.enum && { enum: [...parts.schema.enum, null] }) }),
      description,
      required: !optional,
      ...(example !== undefined && { example }),
    }),
    // Unlike @IsOptional(), lets only an absent field pass; null is the value of a nullable field alone.
    ...(optional ? [ValidateIf((_dto, value) => value !== undefined)] : []),
    ValidateBy({
      name: 'field',
      validator: {
        validate: (value) => (nullable === true && value === null) || parts.isValid(value),
        defaultMessage: (context) => `${context?.property} ${parts.message}${nullable ? ', or null' : ''}.`,
      },
    }),
  );
}

function register(definition: FieldDefinition): PropertyDecorator {
  return (target, property) => {
    const fields: FieldMap = new Map(Reflect.getMetadata(FIELDS, target) as FieldMap | undefined);
    fields.set(property as string, definition);
    Reflect.defineMetadata(FIELDS, fields, target);
  };
}
