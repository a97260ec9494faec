import { isCalendarDate } from '../../http/request/date';

/** A date of a file, with a time if it has one. */
export interface WallTime {
  /** Milliseconds since 1970, as if the time zone were UTC. */
  wall: number;
  hasTime: boolean;
  /** Minutes east of UTC, if the text says so. */
  offset?: number;
}

/** Reads a text in one form; undefined if it has another, or is no date. */
export type DateForm = (text: string) => WallTime | undefined;

/** A text with more characters is no date, so that no form takes long. */
const MAX_LENGTH = 64;
const MINUTE = 60_000;

/** The forms that mean the same everywhere; `3/4/2026` does not. */
export const CLEAR_FORMATS: readonly string[] = [
  'yyyy-M-d[ H:mm[:ss[.S]]][XXX]',
  "yyyy-M-d'T'H:mm[:ss[.S]][XXX]",
  'yyyy/M/d[ H:mm[:ss]]',
  'd.M.yyyy[ H:mm[:ss]]',
  'd/MMM/yy[ H:mm[:ss]]',
  'd/MMM/yy h:mm a',
  'd/MMM/yyyy[ H:mm[:ss]]',
  'd/MMM/yyyy h:mm a',
  'd-MMM-yyyy[ H:mm[:ss]]',
  'd MMM yyyy[ H:mm[:ss]]',
  'd MMM yyyy h:mm a',
  'MMM/d/yy[ H:mm[:ss]]',
  'MMM/d/yy h:mm a',
  'MMM/d/yyyy[ H:mm[:ss]]',
  'MMM/d/yyyy h:mm a',
  'MMM d, yyyy[ h:mm[:ss] a]',
];

/** The parts of a format, as `java.text.SimpleDateFormat` and Unicode name them, with their patterns. */
const PARTS: Readonly<Record<string, string>> = {
  yyyy: '(?<year>\\d{4})',
  yy: '(?<shortYear>\\d{2})',
  MMMM: '(?<monthName>[^\\s\\d/,-]{1,20})',
  MMM: '(?<monthName>[^\\s\\d/,-]{1,20})',
  MM: '(?<month>\\d{1,2})',
  M: '(?<month>\\d{1,2})',
  dd: '(?<day>\\d{1,2})',
  d: '(?<day>\\d{1,2})',
  HH: '(?<hour>\\d{1,2})',
  H: '(?<hour>\\d{1,2})',
  hh: '(?<halfHour>\\d{1,2})',
  h: '(?<halfHour>\\d{1,2})',
  mm: '(?<minute>\\d{2})',
  ss: '(?<second>\\d{2})',
  SSS: '(?<fraction>\\d{1,9})',
  S: '(?<fraction>\\d{1,9})',
  a: '(?<half>[^\\s\\d]{1,10})',
  XXX: '\\s?(?<offset>Z|[+-]\\d{2}:?\\d{2})',
  '[': '(?:',
  ']': ')?',
  // Java writes a narrow space before AM and PM.
  ' ': '\\s{1,3}',
};
const TOKEN = /'[^']*'|([A-Za-z])\1*|[^]/g;

/**
 * Returns what reads dates in a format such as `d/MMM/yy h:mm a`. `[` and `]` enclose what a date may lack.
 * @param locale in whose language months have names, besides English
 * @throws Error that says what is wrong with the format
 */
export function compileDateFormat(format: string, locale = 'en'): DateForm {
  const tokens = format.match(TOKEN) ?? [];
  const used = new Set<string>();
  let pattern = '';
  for (const token of tokens) {
    const part = Object.hasOwn(PARTS, token) ? PARTS[token] : undefined;
    const group = /<(\w+)>/.exec(part ?? '')?.[1];
    if (group !== undefined && used.has(group)) throw new Error(`${token} says again what another part says`);
    if (group !== undefined) used.add(group);
    if (part === undefined && /^[A-Za-z]/.test(token)) throw new Error(`${token} is no part of a date`);
    pattern += part ?? escaped(token.length > 1 ? token.slice(1, -1) : token);
  }
  const has = (...names: string[]): boolean => names.some((name) => used.has(name));
  if (!has('year', 'shortYear') || !has('month', 'monthName') || !used.has('day'))
    throw new Error('it needs a year, a month and a day');
  if (used.has('halfHour') !== used.has('half')) throw new Error('h needs a, and a needs h');
  const expression = expressionOf(pattern);
  const names = namesOf(locale);
  return (text) => {
    const trimmed = text.trim();
    const groups = trimmed.length > MAX_LENGTH ? undefined : expression.exec(trimmed)?.groups;
    return groups && toWallTime(groups, names);
  };
}

function expressionOf(pattern: string): RegExp {
  try {
    return new RegExp(`^${pattern}$`, 'iu');
  } catch (error) {
    throw new Error('each [ needs a ]', { cause: error });
  }
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** The names of months, from 1, and of the halves of a day, 0 and 12; in lower case and without a dot. */
interface Names {
  months: ReadonlyMap<string, number>;
  halves: ReadonlyMap<string, number>;
}

function namesOf(locale: string): Names {
  const months = new Map<string, number>([['sept', 9]]);
  const halves = new Map<string, number>([
    ['am', 0],
    ['pm', 12],
  ]);
  for (const language of new Set(['en', locale])) {
    for (const form of ['short', 'long'] as const) {
      const month = new Intl.DateTimeFormat(language, { month: form, timeZone: 'UTC' });
      for (let index = 0; index < 12; index++)
        months.set(nameKey(month.format(Date.UTC(2000, index, 15))), index + 1);
    }
    const hour = new Intl.DateTimeFormat(language, { hour: 'numeric', hour12: true, timeZone: 'UTC' });
    for (const half of [0, 12]) {
      const parts = hour.formatToParts(Date.UTC(2000, 0, 1, half + 9));
      const name = parts.find(({ type }) => type === 'dayPeriod')?.value;
      if (name !== undefined) halves.set(nameKey(name), half);
    }
  }
  return { months, halves };
}

const nameKey = (name: string): string => name.toLowerCase().replace(/\./g, '').trim();

function toWallTime(
  groups: Readonly<Record<string, string | undefined>>,
  names: Names,
): WallTime | undefined {
  const number = (name: string, otherwise = 0): number => Number(groups[name] ?? otherwise);
  const shortYear = number('shortYear');
  const year = groups.year === undefined ? shortYear + (shortYear < 70 ? 2000 : 1900) : number('year');
  const month =
    groups.monthName === undefined ? number('month') : (names.months.get(nameKey(groups.monthName)) ?? 0);
  const day = [String(year).padStart(4, '0'), twoDigits(month), twoDigits(number('day'))].join('-');
  const half = groups.half === undefined ? undefined : names.halves.get(nameKey(groups.half));
  if (groups.half !== undefined && half === undefined) return undefined;
  const halfHour = number('halfHour', 12);
  const hour = half === undefined ? number('hour') : (halfHour % 12) + half;
  const [minute, second] = [number('minute'), number('second')];
  const isTime =
    hour < 24 && minute < 60 && second < 60 && (half === undefined || (halfHour >= 1 && halfHour <= 12));
  // Whatever columns of days hold has four digits without a leading zero.
  if (!isTime || year < 1000 || !isCalendarDate(day)) return undefined;
  const milliseconds = Math.floor(Number(`0.${groups.fraction ?? 0}`) * 1000);
  return {
    wall: Date.parse(`${day}T00:00:00Z`) + ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds,
    hasTime: groups.hour !== undefined || groups.half !== undefined,
    ...(groups.offset !== undefined && { offset: offsetOf(groups.offset) }),
  };
}

const twoDigits = (number: number): string => String(number).padStart(2, '0');

function offsetOf(text: string): number {
  if (text.toUpperCase() === 'Z') return 0;
  const digits = text.replace(/\D/g, '');
  return (text.startsWith('-') ? -1 : 1) * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2)));
}

/** Converts the times of a file, which are those of a time zone unless they say another. */
export class Zone {
  private readonly format: Intl.DateTimeFormat;

  /** @param name such as `Asia/Tokyo` @throws RangeError if this machine does not know it */
  constructor(name: string) {
    const number = {
      day: '2-digit',
      month: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    } as const;
    this.format = new Intl.DateTimeFormat('en-US', {
      ...number,
      year: 'numeric',
      hourCycle: 'h23',
      timeZone: name,
    });
  }

  /** Returns the point in time, in milliseconds since 1970. A time that a change of clocks skips is one of the hour after it. */
  toTime({ wall, offset }: WallTime): number {
    if (offset !== undefined) return wall - offset * MINUTE;
    const first = wall - this.offsetAt(wall);
    return wall - this.offsetAt(first);
  }

  /** Returns the day, `yyyy-MM-dd`. */
  toDay(time: WallTime): string {
    const instant = this.toTime(time);
    const wall = time.offset === undefined ? time.wall : instant + this.offsetAt(instant);
    return new Date(wall).toISOString().slice(0, 10);
  }

  /** Returns how far the zone is ahead of UTC at a time, in milliseconds. */
  private offsetAt(time: number): number {
    const parts = new Map(this.format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    const day = Date.UTC(part('year'), part('month') - 1, part('day'));
    const wall = day + ((part('hour') * 60 + part('minute')) * 60 + part('second')) * 1000;
    return wall - Math.floor(time / 1000) * 1000;
  }
}
