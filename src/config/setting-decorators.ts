import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';
import { parseUrl } from './parse-url';
import { isTrustProxy, readTrustProxy } from './trust-proxy';

/** Declares the conversion of a variable's text to its value, and the message for an invalid one. */
function setting(
  read: (text: string) => unknown,
  isValid: (value: unknown) => boolean,
  what: string,
): PropertyDecorator {
  return (target, property) => {
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? read(value) : value))(
      target,
      property,
    );
    ValidateBy({
      name: 'setting',
      validator: { validate: isValid, defaultMessage: () => `$property must be ${what}` },
    })(target, property);
  };
}

/** Parses plain decimal digits, or returns NaN: no inner blanks, no hexadecimal, no exponents. */
const toNumber = (text: string): number => (/^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : NaN);

const splitList = (text: string): string[] => text.split(',').map((item) => item.trim());

const isBetween = (value: unknown, min: number, max: number): boolean =>
  typeof value === 'number' && value >= min && value <= max;

/** true or false. */
export const IsFlag = (): PropertyDecorator =>
  setting(
    (text) => (text === 'true' ? true : text === 'false' ? false : text),
    (value) => typeof value === 'boolean',
    'true or false',
  );

/** on or off. */
export const IsSwitch = (): PropertyDecorator =>
  setting(
    (text) => (text === 'on' ? true : text === 'off' ? false : text),
    (value) => typeof value === 'boolean',
    'on or off',
  );

/** An integer. */
export const IsIntegerBetween = (min: number, max: number): PropertyDecorator =>
  setting(
    toNumber,
    (value) => Number.isSafeInteger(value) && isBetween(value, min, max),
    `a whole number from ${min} to ${max}`,
  );

/** A number, with or without a fraction. */
export const IsNumberBetween = (min: number, max: number): PropertyDecorator =>
  setting(toNumber, (value) => isBetween(value, min, max), `a number from ${min} to ${max}`);

/** Numbers, separated by commas. */
export const IsNumberListBetween = (min: number, max: number): PropertyDecorator =>
  setting(
    (text) => splitList(text).map(toNumber),
    (value) => Array.isArray(value) && value.every((item) => isBetween(item, min, max)),
    `numbers from ${min} to ${max}, separated by commas`,
  );

/** A text of a given format. */
export const IsText = (isValid: (text: string) => boolean, what: string): PropertyDecorator =>
  setting(
    (text) => text,
    (value) => typeof value === 'string' && isValid(value),
    what,
  );

/** The proxies that are trusted to forward the client's address. */
export const IsTrustProxySetting = (): PropertyDecorator =>
  setting(
    readTrustProxy,
    isTrustProxy,
    'off, a number of proxies up to 100, or addresses and CIDR ranges of proxies separated by commas',
  );

/** Origins of pages, or * for any; off for none, as an empty list. */
export const IsOriginsSetting = (): PropertyDecorator =>
  setting(
    (text) => (text.trim() === 'off' ? [] : splitList(text)),
    (value) => Array.isArray(value) && (value.join() === '*' || value.every(isOrigin)),
    '*, off, or origins such as https://board.example.com separated by commas',
  );

const isOrigin = (item: string): boolean => /^https?:/.test(item) && parseUrl(item)?.origin === item;

/** Texts, separated by commas. */
export const IsList = (isItem: (item: string) => boolean, what: string): PropertyDecorator =>
  setting(
    splitList,
    (value) => Array.isArray(value) && value.every((item: string) => isItem(item)),
    `${what}, separated by commas`,
  );
