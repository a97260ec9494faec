/** Whether a text is a calendar date, `yyyy-MM-dd`; `Date.parse` alone would read 31 February as 3 March. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Converts a date `yyyy-MM-dd` to the format of responses; null stays null. */
export const toDate = (text: string | null): string | null => (text === null ? null : `${text}T00:00:00Z`);

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** Parses a text that is a time with an offset; returns any other value unchanged. */
export function parseTime(value: unknown): unknown {
  if (typeof value !== 'string' || !TIME.test(value) || !isCalendarDate(value.slice(0, 10))) return value;
  return new Date(value);
}
