/** Whether a text is a day of the calendar, `yyyy-MM-dd`; `Date.parse` alone would read 31 February as 3 March. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** A date `yyyy-MM-dd` as answers show it; null stays null. */
export const toDate = (text: string | null): string | null => (text === null ? null : `${text}T00:00:00Z`);
