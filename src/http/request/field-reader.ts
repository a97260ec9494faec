import { type FieldDefinition } from './field';

/**
 * The value of a field, ready to be validated. The one place where the text of a query string or form becomes a number, a truth
 * value or a list; a text that spells none stays one, for the field's rules to refuse. JSON has its types already, but some clients
 * write a number as a text.
 * @param given a JSON value, or the texts of a form
 */
export function readField(definition: FieldDefinition, given: unknown): unknown {
  const value = given instanceof FormTexts ? fromTexts(definition, given.texts) : fromJson(definition, given);
  const { kind, normalize } = definition;
  if (!normalize) return value;
  const isOfKind = kind.endsWith('[]') ? Array.isArray(value) : typeof value === 'string';
  return isOfKind ? normalize(value) : value;
}

/** What a form gives for one name. */
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
    // `key[]=` with nothing after it is how a form says "an empty list".
    if (texts.length === 1 && texts[0] === '') return [];
    return kind === 'integer[]' ? texts.map(toInteger) : texts;
  }
  const [first] = texts;
  // Clients of the family send `key[]=` for a single value, too.
  if (texts.length > 1) return texts;
  if (options.nullable && first === '') return null;
  if (kind === 'integer') return toInteger(first);
  if (kind === 'number') return toNumber(first);
  if (kind === 'boolean') return first === 'true' ? true : first === 'false' ? false : first;
  return first;
}

/** The number that the digits spell, or the text itself. */
const toInteger = (text: string | undefined): unknown =>
  text !== undefined && /^-?\d+$/.test(text) ? Number(text) : text;

/** The same with decimals. */
const toNumber = (text: string | undefined): unknown =>
  text !== undefined && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
