const ID = /^[1-9][0-9]{0,15}$/;
const DIGITS = /^[0-9]+$/;

/** Parses an id in a path; returns undefined for an invalid one (`docs/decisions/0005-requests.md`). */
export function parseId(text: string | undefined): number | undefined {
  if (text === undefined || !ID.test(text)) return undefined;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : undefined;
}

/** Whether an `…IdOrKey` or `…IdOrName` is to be read as an id: it consists of digits. */
export const isNumeric = (text: string): boolean => DIGITS.test(text);
