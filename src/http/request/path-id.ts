const ID = /^[1-9][0-9]{0,15}$/;
const DIGITS = /^[0-9]+$/;

/** An id in a path, or undefined when the text is none (`docs/decisions/0005-requests.md`). */
export function parseId(text: string | undefined): number | undefined {
  if (text === undefined || !ID.test(text)) return undefined;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : undefined;
}

/** Whether an `…IdOrKey` or `…IdOrName` is meant as an id: all digits. */
export const isNumeric = (text: string): boolean => DIGITS.test(text);
