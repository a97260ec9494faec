import * as z from 'zod';
import { isEncoding } from './csv-text';
import { compileCommentPattern } from './comment-pattern';
import { compileDateFormat, Zone } from './date-format';

/** The fields that columns can give, and their options in a map (`docs/import.md#from-csv-and-jira`). */

const name = z.string().trim().min(1).max(255);
const separator = z.string().min(1).max(10).optional();

/** What a column says of a person; without it, a value may be any of them. */
export const PERSON_PARTS = ['login', 'name', 'mail'] as const;
/** `auto` is a text, or a list if an issue has several values. */
export const CUSTOM_TYPES = [
  'auto',
  'text',
  'textArea',
  'number',
  'date',
  'singleList',
  'multipleList',
  'checkBox',
  'radio',
] as const;
export const HOUR_UNITS = ['seconds', 'minutes', 'hours'] as const;

/** Returns a text that a function accepts, with the message of its error. */
export const checked = (text: z.ZodString, check: (value: string) => unknown) =>
  text.check((context) => {
    try {
      check(context.value);
    } catch (error) {
      context.issues.push({ code: 'custom', message: (error as Error).message, input: context.value });
    }
  });

const person = { as: z.enum(PERSON_PARTS).optional() };
const list = { separator };
const hours = { unit: z.enum(HOUR_UNITS).optional() };

/** The options of each field. */
export const FIELD_OPTIONS = {
  number: {},
  key: {},
  id: {},
  projectKey: {},
  projectName: {},
  summary: {},
  description: {},
  issueType: {},
  status: {},
  priority: {},
  resolution: {},
  creator: person,
  updater: person,
  assignee: person,
  watchers: { ...person, ...list },
  created: {},
  updated: {},
  startDate: {},
  dueDate: {},
  estimatedHours: hours,
  actualHours: hours,
  parent: {},
  subtasks: list,
  related: list,
  categories: list,
  versions: list,
  milestones: list,
  comment: { pattern: checked(z.string().min(1).max(200), compileCommentPattern).optional() },
  custom: { name: name.optional(), type: z.enum(CUSTOM_TYPES).optional(), ...list },
  private: {},
  ignore: {},
} as const;

export type FieldName = keyof typeof FIELD_OPTIONS;
export const FIELD_NAMES = Object.keys(FIELD_OPTIONS) as FieldName[];
export type PersonPart = (typeof PERSON_PARTS)[number];
export type CustomType = (typeof CUSTOM_TYPES)[number];
export type HourUnit = (typeof HOUR_UNITS)[number];

/** What a column is used for. */
export interface ColumnUse {
  field: FieldName;
  as?: PersonPart;
  /** Between the values of a list. */
  separator?: string;
  pattern?: string;
  /** Of a custom field; by default that of the column. */
  name?: string;
  type?: CustomType;
  unit?: HourUnit;
  /** What is lost with each value of an ignored column. */
  loss?: string;
}

export const encoding = z.string().refine(isEncoding, 'is not an encoding that is known');
export const timeZone = z.string().refine(isTimeZone, 'is not a time zone such as Asia/Tokyo');
export const locale = z.string().refine(isLocale, 'is not a language such as de');
export const dateFormat = checked(z.string().min(1).max(100), compileDateFormat);

function isTimeZone(text: string): boolean {
  try {
    return new Zone(text) instanceof Zone;
  } catch {
    return false;
  }
}

function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}
