import { FormTexts } from './field-reader';

/** The value of a field whose name is not known in advance: a text, several, or null. A JSON number becomes a text. */
export type NamedValue = string | readonly string[] | null;

/** The fields of a request with such names, without list brackets. */
export type NamedValues = ReadonlyMap<string, NamedValue>;

/** Options for the fields of a request DTO whose names follow a pattern. */
export interface NamedValuesOptions {
  /** Matches the whole name, without list brackets. */
  pattern: RegExp;
  /** The name as described in the documentation. */
  name: string;
  description: string;
}

interface NamedValuesDefinition extends NamedValuesOptions {
  property: string;
}

const NAMED_VALUES = Symbol('named values');

/** Maximum number of values of one field. */
const MAX_VALUES = 1000;

/** Collects the fields of the request whose names follow a pattern, as `NamedValues`. At most one such property per DTO. */
export const NamedValuesField =
  (options: NamedValuesOptions): PropertyDecorator =>
  (target, property) => {
    Reflect.defineMetadata(NAMED_VALUES, { ...options, property: property as string }, target);
  };

/** Returns the definition of the named values of a request DTO, or undefined if it has none. */
export const namedValuesOf = (dto: abstract new () => unknown): NamedValuesDefinition | undefined =>
  Reflect.getMetadata(NAMED_VALUES, dto.prototype as object) as NamedValuesDefinition | undefined;

/**
 * Returns the name of such a field, or undefined for any other. Clients of the family add list brackets twice:
 * `customField_1[][0]`, of which a form has already removed one pair.
 */
export function nameOfValue(definition: NamedValuesDefinition | undefined, name: string): string | undefined {
  if (!definition) return undefined;
  const plain = name.replace(/\[\d*\]$/, '');
  return definition.pattern.test(plain) ? plain : undefined;
}

/**
 * Returns the value of such a field, or undefined if it is invalid.
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

/** Whether two values are equal, where a single value equals a list of one. */
export const isSameNamedValue = (one: NamedValue, other: NamedValue): boolean =>
  JSON.stringify([one].flat()) === JSON.stringify([other].flat());

/** The requirement for a value, used in the message for an invalid one. */
export const NAMED_VALUE_RULE = `must be a text, a number, or a list of at most ${MAX_VALUES} of these`;

const isScalar = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';
