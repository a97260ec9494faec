import { type FieldDefinition, type FieldKind } from './field';

/**
 * Returns the value of a field, ready to be validated. The only place where the text of a query string or form becomes a number,
 * a boolean or a list; a text that cannot be converted is returned unchanged, for the field's rules to refuse. JSON values are
 * already typed, but some clients send a number as a string.
 * @param given a JSON value, or the texts of a form
 */
export function readField(definition: FieldDefinition, given: unknown): unknown {
  const value = given instanceof FormTexts ? fromTexts(definition, given.texts) : fromJson(definition, given);
  const { kind, normalize } = definition;
  return normalize && isOfKind(kind, value) ? normalize(value) : value;
}

/** Whether a value has the type of a field, so that it can be normalized. */
function isOfKind(kind: FieldKind, value: unknown): boolean {
  if (kind.endsWith('[]')) return Array.isArray(value);
  return typeof value === (kind === 'integer' ? 'number' : kind);
}

/** The values that a form gives for one name. */
export class FormTexts {
  constructor(readonly texts: string[]) {}
}

function fromJson({ kind }: FieldDefinition, given: unknown): unknown {
  if (typeof given !== 'string') return given;
  if (kind === 'integer') return toInteger(given);
  return kind === 'number' ? toNumber(given) : given;
}

function fromTexts({ kind, options }: FieldDefinition, texts: string[]): unknown {
  if (kind.endsWith('[]')) {
    // `key[]=` without a value is how a form expresses an empty list.
    if (texts.length === 1 && texts[0] === '') return [];
    return kind === 'integer[]' ? texts.map(toInteger) : texts;
  }
  const [first] = texts;
  // Clients of the family also send `key[]=` for a single value.
  if (texts.length > 1) return texts;
  if (options.nullable && first === '') return null;
  if (kind === 'integer') return toInteger(first);
  if (kind === 'number') return toNumber(first);
  if (kind === 'boolean') return first === 'true' ? true : first === 'false' ? false : first;
  return first;
}

/** Returns the integer that a text represents, or the text itself. */
const toInteger = (text: string | undefined): unknown =>
  text !== undefined && /^-?\d+$/.test(text) ? Number(text) : text;

/** Same for a number with decimals. */
const toNumber = (text: string | undefined): unknown =>
  text !== undefined && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
