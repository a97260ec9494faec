import { MAX_VALID_IDS } from '../errors/valid-ids';
import { isCalendarDate } from '../http/request/date';
import { type NamedValue } from '../http/request/named-values';
import { isCleanText, isNoLongerThan } from '../http/request/text';
import { grouped } from '../quantities';
import { MAX_DECIMALS, MAX_LINE, MAX_OTHER_VALUE, MAX_TEXT } from './custom-field-limits';
import { type DateSettings, type ListSettings, type NumericSettings } from './custom-field-settings';
import { allowsMany, allowsOtherValue, CustomFieldType, isListType, isTextType } from './custom-field-type';
import { type WholeCustomField } from './custom-field.mapper';
import { hasFewDecimals } from './numbers';

/** The value of a custom field in an issue; only the properties of its type are set. */
export interface CustomValue {
  text: string | null;
  number: number | null;
  /** `yyyy-MM-dd`. */
  date: string | null;
  /** In ascending order. */
  itemIds: readonly number[];
  /** The text next to the items. */
  other: string | null;
}

export const NO_CUSTOM_VALUE: CustomValue = {
  text: null,
  number: null,
  date: null,
  itemIds: [],
  other: null,
};

export const isNoValue = ({ text, number, date, itemIds, other }: CustomValue): boolean =>
  text === null && number === null && date === null && itemIds.length === 0 && other === null;

export const isSameValue = (one: CustomValue, other: CustomValue): boolean =>
  one.text === other.text &&
  one.number === other.number &&
  one.date === other.date &&
  one.other === other.other &&
  one.itemIds.length === other.itemIds.length &&
  one.itemIds.every((id, index) => id === other.itemIds[index]);

/** A parsed part of a value, or the problem with the input. */
export type ParsedValue = { value: Partial<CustomValue> } | { problem: string };

/** Parses the value of a custom field in a request. The items of the field must be loaded. An empty text or list is no value. */
export function parseCustomValue(field: WholeCustomField, given: NamedValue): ParsedValue {
  if (isListType(field.typeId)) return parseItems(field, given);
  const text = single(given);
  if (text === undefined) return { problem: 'must be one value' };
  if (isTextType(field.typeId)) {
    return parseText(text, field.typeId === CustomFieldType.Text ? MAX_LINE : MAX_TEXT);
  }
  return field.typeId === CustomFieldType.Numeric
    ? parseNumber(text, field.settings as NumericSettings)
    : parseDate(text, field.settings as DateSettings);
}

/** Parses the text next to the items in a request. */
export function parseOtherValue(field: WholeCustomField, given: NamedValue): ParsedValue {
  const text = single(given);
  if (text === undefined) return { problem: 'must be one text' };
  if (text === '') return { value: { other: null } };
  if (!allowsOtherValue(field.typeId) || !(field.settings as ListSettings).allowInput) {
    return { problem: 'is not allowed by the custom field' };
  }
  return isNoLongerThan(text, MAX_OTHER_VALUE) && isCleanText(text)
    ? { value: { other: text } }
    : { problem: `must be well-formed text of at most ${MAX_OTHER_VALUE} characters` };
}

/** Parses a number; undefined when it is invalid or cannot be stored. */
export function readNumber(text: string): number | undefined {
  if (!/^-?\d{1,30}(\.\d{1,30})?$/.test(text)) return undefined;
  const number = Number(text);
  // Adding 0 turns -0 into 0.
  return hasFewDecimals(number) ? number + 0 : undefined;
}

/** Whether a text is a calendar day, from the year 1000 on. */
export const isDay = (text: string): boolean => isCalendarDate(text) && text >= '1000';

/** Parses ids; undefined when one is invalid. */
export function readIds(given: NamedValue): number[] | undefined {
  const texts = given === null || given === '' ? [] : [given].flat();
  if (texts.length === 1 && texts[0] === '') return [];
  if (!texts.every((text) => /^[1-9]\d{0,15}$/.test(text))) return undefined;
  const ids = [...new Set(texts.map(Number))];
  return ids.every(Number.isSafeInteger) ? ids : undefined;
}

export const NUMBER_RULE = `must be a number with at most ${MAX_DECIMALS} decimals`;
export const DATE_RULE = 'must be a date such as 2026-01-31';
export const ITEMS_RULE = 'must be ids of items of the custom field';

/** Returns the only value, empty for none; undefined for several. */
export function single(given: NamedValue): string | undefined {
  if (given === null) return '';
  if (typeof given === 'string') return given;
  return given.length > 1 ? undefined : (given[0] ?? '');
}

function parseText(text: string, max: number): ParsedValue {
  return isNoLongerThan(text, max) && isCleanText(text)
    ? { value: { text: text === '' ? null : text } }
    : { problem: `must be well-formed text of at most ${grouped(max)} characters` };
}

function parseNumber(text: string, { min, max }: NumericSettings): ParsedValue {
  if (text === '') return { value: { number: null } };
  const number = readNumber(text);
  if (number === undefined) return { problem: NUMBER_RULE };
  return rangeProblem(number, min, max) ?? { value: { number } };
}

function parseDate(text: string, { min, max }: DateSettings): ParsedValue {
  if (text === '') return { value: { date: null } };
  if (!isDay(text)) return { problem: DATE_RULE };
  return rangeProblem(text, min, max) ?? { value: { date: text } };
}

function rangeProblem<Value extends number | string>(
  value: Value,
  min: Value | null,
  max: Value | null,
): { problem: string } | undefined {
  if (min !== null && value < min) return { problem: `must not be less than ${min}` };
  return max !== null && value > max ? { problem: `must not be more than ${max}` } : undefined;
}

const itemsProblem = (itemIds: readonly number[]): string =>
  itemIds.length === 0 || itemIds.length > MAX_VALID_IDS
    ? ITEMS_RULE
    : `${ITEMS_RULE}: ${itemIds.join(', ')}`;

function parseItems({ typeId, items }: WholeCustomField, given: NamedValue): ParsedValue {
  const ids = readIds(given);
  const known = new Set(items.map(({ id }) => id));
  if (!ids?.every((id) => known.has(id))) return { problem: itemsProblem([...known]) };
  if (ids.length > 1 && !allowsMany(typeId)) return { problem: 'must be one item' };
  return { value: { itemIds: ids.sort((one, other) => one - other) } };
}
