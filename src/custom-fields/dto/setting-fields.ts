import { ArrayMaxSize, ValidateBy, type ValidationOptions } from 'class-validator';
import { isCalendarDate } from '../../http/request/date';
import { field, type FieldOptions } from '../../http/request/field';
import { codePointLength, isCleanText, isNoLongerThan } from '../../http/request/text';
import { hasFewDecimals } from '../numbers';
import { MAX_DECIMALS, MAX_NUMBER } from '../custom-field-limits';

const MAX_NAMES = 1000;
const MAX_NAME = 255;

/** Declares a bound of a numeric or date field: a number or a day. */
export const BoundField = (options: FieldOptions): PropertyDecorator =>
  field(options, {
    kind: 'number',
    schema: {
      anyOf: [
        { type: 'number', format: 'double', minimum: -MAX_NUMBER, maximum: MAX_NUMBER },
        { type: 'string', format: 'date' },
      ],
    },
    message: `must be a number of at most ${MAX_DECIMALS} decimals, or a date such as 2026-01-31`,
    rules: (message) => [rule('isBound', isBound, message)],
  });

/** Declares an ordered list of item names; surrounding space is removed. */
export const ItemNamesField = (options: FieldOptions): PropertyDecorator =>
  field(options, {
    kind: 'string[]',
    normalize: (value) => (value as unknown[]).map((name) => (typeof name === 'string' ? name.trim() : name)),
    schema: {
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: MAX_NAME },
      maxItems: MAX_NAMES,
    },
    message: `must be a list of at most ${MAX_NAMES} names of 1 to ${MAX_NAME} characters`,
    rules: (message) => [
      ArrayMaxSize(MAX_NAMES, message),
      rule('isName', isName, { ...message, each: true }),
    ],
  });

const isBound = (value: unknown): boolean =>
  typeof value === 'number'
    ? hasFewDecimals(value)
    : typeof value === 'string' && isCalendarDate(value) && value >= '1000';

const isName = (value: unknown): boolean =>
  typeof value === 'string' &&
  isNoLongerThan(value, MAX_NAME) &&
  codePointLength(value) > 0 &&
  isCleanText(value);

const rule = (
  name: string,
  validate: (value: unknown) => boolean,
  options: ValidationOptions,
): PropertyDecorator => ValidateBy({ name, validator: { validate } }, options);
