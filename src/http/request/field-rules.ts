import { ValidateBy, type ValidationOptions } from 'class-validator';
import { parseUrl } from '../../config/parse-url';
import { codePointLength, isCleanText, isNoLongerThan } from './text';

/*
 * Rules that class-validator lacks, or defines differently from the service:
 * - `@Length` does not count variation selectors, so that a text may have twice as many characters as its column;
 * - no rule checks for lone surrogates and NUL;
 * - `@IsUrl` refuses hosts that a delivery could reach, and accepts addresses that `URL` cannot parse;
 * - `@IsNumber({ maxDecimalPlaces })` throws on 1e-7;
 * - `@IsISO8601({ strict: true })` misreads years before 1000.
 */

/** A text of `min` to `max` characters, counted in code points. */
export const HasCharacters = (min: number, max: number, options: ValidationOptions): PropertyDecorator =>
  textRule('hasCharacters', (text) => isNoLongerThan(text, max) && codePointLength(text) >= min, options);

/** Well-formed Unicode without NUL. */
export const IsCleanText = (options: ValidationOptions): PropertyDecorator =>
  textRule('isCleanText', isCleanText, options);

/** An absolute http or https URL without user and password. */
export const IsHttpUrl = (options: ValidationOptions): PropertyDecorator =>
  textRule('isHttpUrl', isHttpUrl, options);

/** A number with at most `scale` decimals. */
export const HasDecimals = (scale: number, options: ValidationOptions): PropertyDecorator =>
  ValidateBy(
    {
      name: 'hasDecimals',
      validator: {
        validate: (value) => typeof value === 'number' && Number(value.toFixed(scale)) === value,
      },
    },
    options,
  );

const textRule = (
  name: string,
  isValid: (text: string) => boolean,
  options: ValidationOptions,
): PropertyDecorator =>
  ValidateBy(
    { name, validator: { validate: (value) => typeof value === 'string' && isValid(value) } },
    options,
  );

function isHttpUrl(text: string): boolean {
  if (!isCleanText(text) || /\s/.test(text) || !/^https?:\/\//i.test(text)) return false;
  const url = parseUrl(text);
  return url !== undefined && url.hostname !== '' && url.username === '' && url.password === '';
}
