const QUARTER_MS = 15 * 60_000;
/** A day with a change of the clock has at most 25 hours, and one without the hour is followed by one that has it. */
const MAX_QUARTERS = 4 * 50;

/** Whether a text is the name of a time zone, such as `Asia/Tokyo`. */
export function isTimeZone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the first time after another at which the clocks of a time zone show an hour, in milliseconds since 1970.
 * @param hour 0 to 23
 * @param timeZone UTC is used instead of one that this version of Node does not know
 */
export function nextHour(hour: number, timeZone: string, after: number): number {
  const format = formatOf(isTimeZone(timeZone) ? timeZone : 'UTC');
  const wanted = `${String(hour).padStart(2, '0')}:00`;
  let time = Math.floor(after / QUARTER_MS) * QUARTER_MS;
  for (let quarter = 0; quarter < MAX_QUARTERS; quarter++) {
    time += QUARTER_MS;
    if (format.format(time) === wanted) return time;
  }
  return time;
}

const formatOf = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
