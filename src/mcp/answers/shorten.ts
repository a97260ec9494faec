import { loopTurns } from '../../event-loop/loop-turns';

/** Maximum length of an answer, in bytes of UTF-8: more would fill the context of a model. */
export const MAX_ANSWER_BYTES = 25_000;
/** Numbers of characters to which long texts are shortened, one after the other until the answer fits. */
const TEXT_LENGTHS = [8000, 2000, 500, 80];
/** Maximum length of a part of a text, in characters and in bytes of JSON. */
const PART_LENGTH = 7500;
const MAX_PART_BYTES = 12_000;
const MAX_MESSAGE_LENGTH = 4000;

/** An answer with a list, of which the last items are left out if it is too long. */
interface ListAnswer {
  items: readonly unknown[];
  /** How to get the rest. */
  next?: string;
}

/** A part of a long text that is not shortened further, so that the next part continues where it ends. */
export class TextPart {
  constructor(readonly text: string) {}
}

/**
 * Returns an answer as JSON without empty values, of at most `MAX_ANSWER_BYTES`. Longer texts are shortened and say how much is missing; if
 * that is not enough, the last items of a list are left out.
 */
export async function toAnswerText(answer: unknown): Promise<string> {
  for (const length of TEXT_LENGTHS) {
    const text = toText(answer, length);
    if (fits(text)) return text;
    await loopTurns.nextSlice();
  }
  const shortest = TEXT_LENGTHS.at(-1) ?? 0;
  if (isList(answer)) {
    for (let kept = Math.floor(answer.items.length / 2); kept > 0; kept = Math.floor(kept / 2)) {
      const left = answer.items.length - kept;
      const next = `${left} more records did not fit: ask for fewer at a time.`;
      const text = toText({ ...answer, items: answer.items.slice(0, kept), next }, shortest);
      if (fits(text)) return text;
      await loopTurns.nextSlice();
    }
  }
  return `${toText(answer, shortest).slice(0, MAX_ANSWER_BYTES / 4)}… (the rest did not fit: ask for a smaller part)`;
}

/** Returns a message of at most some thousand characters. */
export const toMessage = (text: string): string => cut(text, MAX_MESSAGE_LENGTH);

/** Returns the part of a text from an offset on, and says how to read on. */
export function partOf(text: string, offset = 0): { text: TextPart; next?: string } {
  let part = text.slice(offset, offset + PART_LENGTH);
  while (Buffer.byteLength(JSON.stringify(part)) > MAX_PART_BYTES) part = part.slice(0, part.length / 2);
  const isLast = offset + part.length >= text.length;
  // Never ends within a surrogate pair.
  if (!isLast && part.length > 1) part = part.replace(/[\uD800-\uDBFF]$/, '');
  const end = offset + part.length;
  if (isLast) return { text: new TextPart(part) };
  const next = `Characters ${offset} to ${end} of ${text.length}: continue with offset=${end}.`;
  return { text: new TextPart(part), next };
}

const fits = (text: string): boolean => Buffer.byteLength(text) <= MAX_ANSWER_BYTES;

const isList = (answer: unknown): answer is ListAnswer =>
  typeof answer === 'object' && answer !== null && Array.isArray((answer as Partial<ListAnswer>).items);

const toText = (answer: unknown, length: number): string =>
  JSON.stringify(answer, (name, value: unknown) => {
    if (value instanceof TextPart) return value.text === '' ? undefined : value.text;
    const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0);
    if (isEmpty && name !== 'items') return undefined;
    return typeof value === 'string' ? cut(value, length) : value;
  });

/** Returns a text of at most this many characters, and how many are missing. Never cuts within a surrogate pair. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const kept = text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept}… (${text.length - kept.length} more characters)`;
}
