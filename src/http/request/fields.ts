import {
  ArrayMaxSize,
  ArrayMinSize,
  IsBoolean,
  IsDate,
  IsIn,
  IsInt,
  IsISO8601,
  IsNumber,
  Matches,
  Max,
  Min,
  NotEquals,
  type ValidationOptions,
} from 'class-validator';
import { grouped } from '../../quantities';
import { field, type FieldOptions } from './field';
import { parseTime } from './date';
import { HasCharacters, HasDecimals, IsCleanText, IsHttpUrl } from './field-rules';

const MAX_ITEMS = 1000;

/** A text; `min` and `max` count characters. `trim` trims it; with `notBlank` it may not consist of whitespace alone. */
export function TextField(
  options: FieldOptions & { min?: number; max: number; trim?: true; notBlank?: true },
): PropertyDecorator {
  const { min = 0, max, trim, notBlank } = options;
  const rule = min > 0 ? `${min} to ${grouped(max)} characters` : `at most ${grouped(max)} characters`;
  return field(options, {
    kind: 'string',
    normalize: trim && ((value) => (value as string).trim()),
    schema: { type: 'string', minLength: min || undefined, maxLength: max },
    message: `must be well-formed text of ${rule}${notBlank ? ', not only spaces' : ''}`,
    rules: (message) => [
      HasCharacters(min, max, message),
      IsCleanText(message),
      ...(notBlank ? [Matches(/\S/, message)] : []),
    ],
  });
}

/** A colour `#RRGGBB`, converted to lower case. */
export function ColorField(options: FieldOptions): PropertyDecorator {
  return field(options, {
    kind: 'string',
    normalize: (value) => (value as string).toLowerCase(),
    schema: { type: 'string', pattern: '^#[0-9A-Fa-f]{6}$' },
    message: 'must be a colour in the form #RRGGBB',
    rules: (message) => [Matches(/^#[0-9a-f]{6}$/, message)],
  });
}

/** An absolute http or https address of at most `max` characters. */
export function UrlField(options: FieldOptions & { max: number }): PropertyDecorator {
  return field(options, {
    kind: 'string',
    schema: { type: 'string', format: 'uri', maxLength: options.max },
    message: `must be an http or https URL of at most ${grouped(options.max)} characters, without user or password`,
    rules: (message) => [HasCharacters(0, options.max, message), IsHttpUrl(message)],
  });
}

/** true or false. */
export function BooleanField(options: FieldOptions & { default?: boolean }): PropertyDecorator {
  return field(options, {
    kind: 'boolean',
    schema: { type: 'boolean', default: options.default },
    message: 'must be true or false',
    rules: (message) => [IsBoolean(message)],
  });
}

/** An integer from `min` to `max`. */
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
    message: `must be a whole number from ${grouped(min)} to ${grouped(max)}`,
    rules: (message) => [IsInt(message), Min(min, message), Max(max, message)],
  });
}

/** A number from `min` to `max` with at most `scale` decimals. */
export function DecimalField(
  options: FieldOptions & { min: number; max: number; scale: number },
): PropertyDecorator {
  const { min, max, scale } = options;
  // Not `multipleOf`: in binary floating point, 0.29 is not a multiple of 0.01.
  const description = `${options.description} At most ${scale} decimals.`;
  return field(
    { ...options, description },
    {
      kind: 'number',
      schema: { type: 'number', format: 'double', minimum: min, maximum: max },
      message: `must be a number from ${grouped(min)} to ${grouped(max)} with at most ${scale} decimals`,
      rules: (message) => [
        IsNumber({}, message),
        Min(min, message),
        Max(max, message),
        HasDecimals(scale, message),
      ],
    },
  );
}

/** A point in time, `yyyy-MM-ddTHH:mm:ssZ` or with another offset, converted to a `Date`. */
export function TimeField(options: FieldOptions): PropertyDecorator {
  return field(options, {
    kind: 'string',
    normalize: parseTime,
    schema: { type: 'string', format: 'date-time' },
    message: 'must be a time such as 2026-01-31T09:30:00Z',
    rules: (message) => [IsDate(message)],
  });
}

/** A calendar date, `yyyy-MM-dd`, from the year 1000; it stays a string. */
export function DateField(options: FieldOptions): PropertyDecorator {
  return field(options, {
    kind: 'string',
    schema: { type: 'string', format: 'date' },
    message: 'must be a date such as 2026-01-31',
    rules: (message) => [Matches(/^[1-9]\d{3}-\d{2}-\d{2}$/, message), IsISO8601({ strict: true }, message)],
  });
}

/** One of a fixed set of words. */
export function EnumField(
  options: FieldOptions & { values: readonly string[]; default?: string },
): PropertyDecorator {
  return field(options, {
    kind: 'string',
    schema: { type: 'string', enum: [...options.values], default: options.default },
    message: `must be ${options.values.join(' or ')}`,
    rules: (message) => [IsIn(options.values, message)],
  });
}

/** A list of words from a fixed set; duplicates collapse. */
export function EnumListField(
  options: FieldOptions & { values: readonly string[]; min?: number },
): PropertyDecorator {
  const { min = 0 } = options;
  return field(options, {
    kind: 'string[]',
    normalize: withoutDuplicates,
    schema: {
      type: 'array',
      items: { type: 'string', enum: [...options.values] },
      minItems: min || undefined,
      maxItems: MAX_ITEMS,
    },
    message: `must be a list of ${min > 0 ? `at least ${grouped(min)} of ` : ''}${options.values.join(', ')}`,
    rules: (message) => [...isList(message, min), IsIn(options.values, { ...message, each: true })],
  });
}

/** One id. */
export const IdField = (options: FieldOptions): PropertyDecorator =>
  IntegerField({ ...options, min: 1, max: Number.MAX_SAFE_INTEGER, format: 'int64' });

/** Stands for "none" in the id list of a filter. */
export const NONE = -1;

/** A list of ids; duplicates collapse to the first of each. With `orNone`, it may also contain `NONE`. */
export function IdListField(
  options: FieldOptions & { min?: number; max?: number; orNone?: true },
): PropertyDecorator {
  const { min = 0, max = MAX_ITEMS, orNone } = options;
  const lowest = orNone ? NONE : 1;
  const size = min > 0 ? `${min} to ${grouped(max)}` : `at most ${grouped(max)}`;
  return field(options, {
    kind: 'integer[]',
    normalize: withoutDuplicates,
    schema: {
      type: 'array',
      items: {
        type: 'integer',
        format: 'int64',
        minimum: lowest,
        maximum: Number.MAX_SAFE_INTEGER,
        ...(orNone && { not: { enum: [0] } }),
      },
      minItems: min || undefined,
      maxItems: max,
    },
    message: `must be a list of ${size} ids${orNone ? `, or ${NONE} for none` : ''}`,
    rules: (message) => [
      ...isList(message, min, max),
      IsInt({ ...message, each: true }),
      Min(lowest, { ...message, each: true }),
      Max(Number.MAX_SAFE_INTEGER, { ...message, each: true }),
      ...(orNone ? [NotEquals(0, { ...message, each: true })] : []),
    ],
  });
}

/** A number from a fixed set. */
export function NumericEnumField(
  options: FieldOptions & { codes: readonly number[]; default?: number },
): PropertyDecorator {
  return field(options, {
    kind: 'integer',
    schema: { type: 'integer', format: 'int32', enum: [...options.codes], default: options.default },
    message: `must be one of ${options.codes.join(', ')}`,
    rules: (message) => [IsIn(options.codes, message)],
  });
}

/** A list of numbers from a fixed set, such as activity types; duplicates collapse. */
export function NumericEnumListField(
  options: FieldOptions & { codes: readonly number[] },
): PropertyDecorator {
  return field(options, {
    kind: 'integer[]',
    normalize: withoutDuplicates,
    schema: {
      type: 'array',
      items: { type: 'integer', format: 'int32', enum: [...options.codes] },
      maxItems: MAX_ITEMS,
    },
    message: `must be a list of ${options.codes.join(', ')}`,
    rules: (message) => [...isList(message), IsIn(options.codes, { ...message, each: true })],
  });
}

const withoutDuplicates = (value: unknown): unknown[] => [...new Set(value as unknown[])];

/** Also refuses values that are not lists. */
const isList = (message: ValidationOptions, min = 0, max = MAX_ITEMS): PropertyDecorator[] => [
  ...(min > 0 ? [ArrayMinSize(min, message)] : []),
  ArrayMaxSize(max, message),
];
