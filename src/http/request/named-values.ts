import { FormTexts } from './field-reader';

/** What a request gives for a field whose name is not known beforehand: a text, several, or null. A number of JSON is a text. */
export type NamedValue = string | readonly string[] | null;

/** The fields of a request with such names, without the brackets of a list. */
export type NamedValues = ReadonlyMap<string, NamedValue>;

/** What the author of a request DTO says about fields whose names follow a pattern. */
export interface NamedValuesOptions {
  /** What the whole name has to meet, without the brackets of a list. */
  pattern: RegExp;
  /** A name in words, for the documentation. */
  name: string;
  description: string;
}

interface NamedValuesDefinition extends NamedValuesOptions {
  property: string;
}

const NAMED_VALUES = Symbol('named values');

/** Most values of one field. */
const MAX_VALUES = 1000;

/** The property gets the fields of the request whose names follow a pattern, as `NamedValues`. One such property of a DTO. */
export const NamedValuesField =
  (options: NamedValuesOptions): PropertyDecorator =>
  (target, property) => {
    Reflect.defineMetadata(NAMED_VALUES, { ...options, property: property as string }, target);
  };

/** How a request DTO takes such fields; undefined when it does not. */
export const namedValuesOf = (dto: abstract new () => unknown): NamedValuesDefinition | undefined =>
  Reflect.getMetadata(NAMED_VALUES, dto.prototype as object) as NamedValuesDefinition | undefined;

/**
 * The name of such a field; undefined for any other. Clients of the family put the brackets of a list twice: `customField_1[][0]`,
 * of which forms have taken one away.
 */
export function nameOfValue(definition: NamedValuesDefinition | undefined, name: string): string | undefined {
  if (!definition) return undefined;
  const plain = name.replace(/\[\d*\]$/, '');
  return definition.pattern.test(plain) ? plain : undefined;
}

/**
 * The value of such a field, or undefined when it is none.
 * @param given a JSON value, or the texts of a form
 */
export function readNamedValue(given: unknown): NamedValue | undefined {
  if (given === null) return null;
  const values = given instanceof FormTexts ? given.texts : given;
  if (!Array.isArray(values)) return isScalar(values) ? String(values) : undefined;
  if (values.length > MAX_VALUES || !values.every(isScalar)) return undefined;
  const texts = values.map(String);
  return given instanceof FormTexts && texts.length === 1 ? texts[0] : texts;
}

/** Whether two values are the same, of which one may be a list of one. */
export const isSameNamedValue = (one: NamedValue, other: NamedValue): boolean =>
  JSON.stringify([one].flat()) === JSON.stringify([other].flat());

/** What a value that is none should have been. */
export const NAMED_VALUE_RULE = `must be a text, a number, or a list of at most ${MAX_VALUES} of these`;

const isScalar = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';
