import { isURL } from 'class-validator';
import { parseUrl } from './parse-url';
import { isTrustProxy, readTrustProxy } from './trust-proxy';

/** How the text of a variable is read, and which values are valid. */
export interface Rule<T = unknown> {
  /** Returns the value; of an invalid text, one that `isValid` refuses. */
  readonly read: (text: string) => unknown;
  readonly isValid: (value: unknown) => value is T;
  /** The valid values in words, for errors and documents. */
  readonly what: string;
}

/** A setting of the service. Without a default, it may be undefined. */
export interface Setting extends Rule {
  /** The default as an operator would write it; empty for a list with no items. */
  readonly default?: string;
  /** Whether logs hide the value. */
  readonly isSecret?: boolean;
}

/** Parses plain decimal digits, or returns NaN: no inner blanks, no hexadecimal, no exponents. */
const toNumber = (text: string): number => (/^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : NaN);

const splitList = (text: string): string[] => (text === '' ? [] : text.split(',').map((item) => item.trim()));

const isBetween = (value: unknown, min: number, max: number): value is number =>
  typeof value === 'number' && value >= min && value <= max;

const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';

/** true or false. */
export const flag: Rule<boolean> = {
  read: (text) => (text === 'true' ? true : text === 'false' ? false : text),
  isValid: isBoolean,
  what: 'true or false',
};

/** on or off. */
export const onOff: Rule<boolean> = {
  read: (text) => (text === 'on' ? true : text === 'off' ? false : text),
  isValid: isBoolean,
  what: 'on or off',
};

export const integer = (min: number, max = Number.MAX_SAFE_INTEGER): Rule<number> => ({
  read: toNumber,
  isValid: (value): value is number => Number.isSafeInteger(value) && isBetween(value, min, max),
  what: `a whole number from ${min} to ${max}`,
});

/** A number, with or without a fraction. */
export const decimal = (min: number, max: number): Rule<number> => ({
  read: toNumber,
  isValid: (value): value is number => isBetween(value, min, max),
  what: `a number from ${min} to ${max}`,
});

/** Numbers, separated by commas. */
export const decimals = (min: number, max: number): Rule<readonly number[]> => ({
  read: (text) => splitList(text).map(toNumber),
  isValid: (value): value is number[] =>
    Array.isArray(value) && value.every((item) => isBetween(item, min, max)),
  what: `numbers from ${min} to ${max}, separated by commas`,
});

/** A text of a given format. */
export const text = (format: RegExp | ((text: string) => boolean), what: string): Rule<string> => ({
  read: (given) => given,
  isValid: (value): value is string =>
    typeof value === 'string' && (format instanceof RegExp ? format.test(value) : format(value)),
  what,
});

/** One of several words. */
export const oneOf = <Word extends string>(...words: Word[]): Rule<Word> => ({
  read: (given) => given,
  isValid: (value): value is Word => words.includes(value as Word),
  what: words.length === 2 ? words.join(' or ') : `one of ${words.join(', ')}`,
});

export const httpUrl = text(
  (given) => isURL(given, { require_tld: false, protocols: ['http', 'https'], require_protocol: true }),
  'an http or https URL',
);

/** Texts, separated by commas. */
export const list = (isItem: (item: string) => boolean, what: string): Rule<readonly string[]> => ({
  read: splitList,
  isValid: (value): value is string[] => Array.isArray(value) && value.every((item: string) => isItem(item)),
  what: `${what}, separated by commas`,
});

/** The proxies that are trusted to forward the client's address. */
export const trustedProxies: Rule<number | readonly string[]> = {
  read: readTrustProxy,
  isValid: isTrustProxy,
  what: 'off, a number of proxies up to 100, or addresses and CIDR ranges of proxies separated by commas',
};

/** Origins of pages, or * for any; off for none, as an empty list. */
export const origins: Rule<readonly string[]> = {
  read: (text) => (text.trim() === 'off' ? [] : splitList(text)),
  isValid: (value): value is string[] =>
    Array.isArray(value) && (value.join() === '*' || value.every(isOrigin)),
  what: '*, off, or origins such as https://board.example.com separated by commas',
};

const isOrigin = (item: string): boolean => /^https?:/.test(item) && parseUrl(item)?.origin === item;
