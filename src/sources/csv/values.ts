import { MAX_NUMBER } from '../../custom-fields/custom-field-limits';
import { type CsvMap } from './csv-map';
import { CLEAR_FORMATS, compileDateFormat, type DateForm, type WallTime, Zone } from './date-format';
import { type HourUnit } from './fields';
import { type Cell, quoted, type Row } from './row';

const MAX_NUMBER_OF_ISSUE = 2 ** 31 - 1;
const MAX_HOURS = 999_999;
/** A file may come from a clock that is ahead, or from a time zone that is. */
const MAX_AHEAD_MS = 24 * 60 * 60_000;
const PER_HOUR: Readonly<Record<HourUnit, number>> = { seconds: 3600, minutes: 60, hours: 1 };

/** Reads the values of files by the rules of a map. Each error names the place. */
export class ValueReader {
  private readonly forms: readonly DateForm[];
  private readonly zone: Zone;
  private readonly namesZone: boolean;
  private readonly decimalComma: boolean;
  /** Whether a time was taken as UTC because nothing says otherwise. */
  assumesUtc = false;

  constructor({ dateFormats, locale, timeZone, decimalComma }: CsvMap) {
    this.forms = (dateFormats ?? CLEAR_FORMATS).map((format) => compileDateFormat(format, locale));
    this.zone = new Zone(timeZone ?? 'UTC');
    this.namesZone = timeZone !== undefined;
    this.decimalComma = decimalComma;
  }

  /** Returns a time in milliseconds. @param text other than that of the cell, if it is a part of it */
  time(row: Row, cell: Cell, text = cell.text): number {
    const wall = this.date(row, cell, text);
    if (wall.offset === undefined && !this.namesZone) this.assumesUtc = true;
    const time = this.zone.toTime(wall);
    if (time < 0 || time > Date.now() + MAX_AHEAD_MS) {
      throw row.error(
        cell.column,
        `${quoted(text)} is not between 1970 and today: dateFormats in a map may help`,
      );
    }
    return time;
  }

  /** Returns a day, `yyyy-MM-dd`. */
  day(row: Row, cell: Cell): string {
    return this.zone.toDay(this.date(row, cell, cell.text));
  }

  /** Returns hours, of which the service keeps two decimals. */
  hours(row: Row, cell: Cell): number {
    const { unit = 'hours' } = cell.column.use;
    const hours = Math.round((this.anyNumber(row, cell) / PER_HOUR[unit]) * 100) / 100;
    if (hours >= 0 && hours <= MAX_HOURS) return hours;
    throw row.error(cell.column, `${quoted(cell.text)} is not between 0 and ${MAX_HOURS} hours`);
  }

  /** Returns a number that a custom field can have, with all of its decimals. */
  number(row: Row, cell: Cell): number {
    const number = this.anyNumber(row, cell);
    if (Math.abs(number) <= MAX_NUMBER) return number;
    throw row.error(cell.column, `${quoted(cell.text)} is too large`);
  }

  private date(row: Row, { column }: Cell, text: string): WallTime {
    for (const form of this.forms) {
      const time = form(text);
      if (time) return time;
    }
    throw row.error(
      column,
      `${quoted(text)} is no date that is known: name its form in a map, such as dateFormats: ["d/M/yyyy H:mm"]`,
    );
  }

  private anyNumber(row: Row, { text, column }: Cell): number {
    const plain = this.decimalComma ? text.replace(',', '.') : text;
    if (/^[+-]?\d{1,30}(\.\d{1,30})?$/.test(plain)) return Number(plain) + 0;
    const advice = /^\d+,\d+$/.test(text) && !this.decimalComma ? ': decimalComma in a map may help' : '';
    throw row.error(column, `${quoted(text)} is no number${advice}`);
  }
}

/** Returns the number of an issue. @throws SourceError that names the place */
export function readIssueNumber(row: Row, cell: Cell): number {
  const number = /^#?([1-9]\d{0,9})$/.exec(cell.text)?.[1];
  if (number !== undefined && Number(number) <= MAX_NUMBER_OF_ISSUE) return Number(number);
  throw row.error(cell.column, `${quoted(cell.text)} is no number of an issue`);
}

/** An issue's key in its parts. */
export interface IssueKey {
  projectKey: string;
  number: number;
}

/** Returns the parts of a key such as `WEB-12`; undefined if it is none. */
export function parseIssueKey(text: string): IssueKey | undefined {
  const [, projectKey, number] = /^([A-Za-z][A-Za-z0-9_]{0,24})-([1-9]\d{0,9})$/.exec(text) ?? [];
  if (projectKey === undefined || Number(number) > MAX_NUMBER_OF_ISSUE) return undefined;
  return { projectKey: projectKey.toUpperCase(), number: Number(number) };
}

/** Returns the key of an issue. @throws SourceError that names the place */
export function readIssueKey(row: Row, cell: Cell): IssueKey {
  const key = parseIssueKey(cell.text);
  if (key) return key;
  throw row.error(cell.column, `${quoted(cell.text)} is no key such as WEB-12`);
}
