import fc from 'fast-check';
import { InvalidRequestError } from '../../errors/domain-errors';
import { fieldsOf } from './field';
import {
  BooleanField,
  ColorField,
  DateField,
  DecimalField,
  EnumField,
  EnumListField,
  IdField,
  IdListField,
  NONE,
  NumericEnumListField,
  TextField,
  TimeField,
  UrlField,
} from './fields';
import { parseForm } from './form';
import { bindRequest } from './request-dto.pipe';
import { codePointLength, isCleanText } from './text';
import { anyCharacter } from '../../../test/support/any-character';
import { runs } from '../../../test/support/thoroughness';

class TextDto {
  @TextField({ description: '', min: 2, max: 4, optional: true })
  text?: string;

  @TextField({ description: '', min: 1, max: 4, trim: true, optional: true })
  trimmed?: string;

  @TextField({ description: '', min: 1, max: 4, notBlank: true, optional: true })
  content?: string;

  @UrlField({ description: '', max: 40, optional: true })
  url?: string;

  @ColorField({ description: '', optional: true })
  color?: string;

  @IdListField({ description: '', min: 1, optional: true })
  ids?: number[];
}

class ValuesDto {
  @IdField({ description: '', optional: true })
  id?: number;

  @DateField({ description: '', optional: true })
  date?: string;

  @TimeField({ description: '', optional: true })
  time?: Date;

  @DecimalField({ description: '', min: 0, max: 99_999.99, scale: 2, optional: true })
  hours?: number;
}

class NullableDto {
  @IdField({ description: '', optional: true, nullable: true })
  id?: number | null;

  @DateField({ description: '', optional: true, nullable: true })
  date?: string | null;

  @DecimalField({ description: '', min: 0, max: 1, scale: 2, optional: true, nullable: true })
  hours?: number | null;

  @BooleanField({ description: '', optional: true, nullable: true })
  flag?: boolean | null;

  @EnumField({ description: '', values: ['asc', 'desc'], optional: true, nullable: true })
  word?: string | null;

  @TextField({ description: '', min: 1, max: 5, trim: true, optional: true, nullable: true })
  text?: string | null;

  @IdListField({ description: '', optional: true, nullable: true })
  ids?: number[] | null;

  @NumericEnumListField({ description: '', codes: [1, 2], optional: true })
  codes?: number[];
}

class WordsDto {
  @EnumListField({ description: '', values: ['one', 'two'], optional: true })
  words?: string[];
}

class ExtendedDto extends TextDto {
  @TextField({ description: '', max: 1, optional: true })
  extra?: string;
}

const accepts = (value: object, dto: new () => object = TextDto): boolean => {
  try {
    bindRequest(dto, value);
    return true;
  } catch (error) {
    if (error instanceof InvalidRequestError) return false;
    throw error;
  }
};

describe('a request DTO', () => {
  it('inherits fields without adding its own to the base class', () => {
    expect([...(fieldsOf(ExtendedDto)?.keys() ?? [])]).toContain('text');
    expect([...(fieldsOf(TextDto)?.keys() ?? [])]).not.toContain('extra');
    expect(fieldsOf(Object)).toBeUndefined();
  });

  describe('with a text field', () => {
    it.each([
      ['letters', 'abcd', 4],
      ['astral characters', '😀😀😀😀', 4],
      ['a letter and a combining accent', 'e\u0301', 2],
      ['a heart and a variation selector', '\u2764\ufe0f', 2],
      ['a flag of two regional letters', '🇯🇵', 2],
      ['two persons joined', '👩\u200d👧', 3],
      ['ideographs beyond the basic plane', '𠮷𠮷', 2],
    ])('counts %s by code points', (_name, text, length) => {
      expect(codePointLength(text)).toBe(length);
      expect(accepts({ text })).toBe(true);
      expect(accepts({ text: text.padEnd(text.length + 4 - length, 'x') })).toBe(true);
      expect(accepts({ text: text.padEnd(text.length + 5 - length, 'x') })).toBe(false);
    });

    it('counts one code point for each character of any text', () => {
      fc.assert(
        fc.property(fc.array(fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 })), (characters) => {
          expect(codePointLength(characters.join(''))).toBe(characters.length);
        }),
      );
    });

    it.each(['a\0', '\ud800a', 'a\udc00', '\udc00\ud800'])('refuses the text %j', (text) => {
      expect(isCleanText(text)).toBe(false);
      expect(accepts({ text })).toBe(false);
    });

    it('keeps surrounding whitespace unless the field is trimmed', () => {
      expect(bindRequest(TextDto, { text: ' a ', trimmed: ' a\t\n' })).toEqual({ text: ' a ', trimmed: 'a' });
    });

    it.each(['', ' ', '\t\n', '\u3000', '\u00a0'])(
      'refuses the blank text %j in a trimmed or notBlank field',
      (blank) => {
        expect(accepts({ trimmed: blank })).toBe(false);
        expect(accepts({ content: blank })).toBe(false);
      },
    );

    it('applies the maximum length after trimming', () => {
      expect(accepts({ trimmed: `  ${'x'.repeat(4)}  ` })).toBe(true);
      expect(accepts({ trimmed: 'x'.repeat(5) })).toBe(false);
    });
  });

  describe('with a URL field', () => {
    it.each([
      'http://example.com',
      'https://example.com/a?b=c#d',
      'HTTPS://EXAMPLE.COM',
      'http://127.0.0.1:8080/',
      'http://[::1]/',
      'https://exämple.com/ü',
      `https://example.com/${'x'.repeat(20)}`,
    ])('accepts %j', (url) => {
      expect(bindRequest(TextDto, { url })).toEqual({ url });
    });

    it.each([
      '',
      'example.com',
      '//example.com',
      'ftp://example.com',
      'javascript:alert(1)',
      'http:example.com',
      'http:/example.com',
      'http://',
      'http://user@example.com',
      'http://user:password@example.com',
      'http://:password@example.com',
      ' http://example.com',
      'http://example.com/a b',
      'http://exa\nmple.com',
      'http://example.com:99999',
      'http://example.com/\0',
      'http://example.com/\ud800',
      `https://example.com/${'x'.repeat(21)}`,
    ])('refuses %j', (url) => {
      expect(accepts({ url })).toBe(false);
    });
  });

  describe('with a colour field', () => {
    it.each([
      ['#AbCdEf', '#abcdef'],
      ['#000000', '#000000'],
    ])('reads %s as %s', (color, stored) => {
      expect(bindRequest(TextDto, { color })).toEqual({ color: stored });
    });

    it.each(['', '#fff', 'ffffff', '#gggggg', '#ffffff ', '#fffffff', 'red', '#ffffff\n', '＃ffffff'])(
      'refuses %j',
      (color) => {
        expect(accepts({ color })).toBe(false);
      },
    );
  });

  describe('with a field for a list of ids', () => {
    it('removes duplicate ids before counting them, keeping the order of first occurrences', () => {
      const ids = Array.from({ length: 1000 }, (_, index) => 1000 - index);
      expect(bindRequest(TextDto, { ids: [...ids, ...ids] })).toEqual({ ids });
      expect(accepts({ ids: [...ids, 1001] })).toBe(false);
    });

    it.each([[[]], [[0]], [[-1]], [[1, '2']], [[[1]]], [[2 ** 53]]])('refuses %j', (ids) => {
      expect(accepts({ ids })).toBe(false);
    });

    it('accepts NONE in a field with orNone', () => {
      class FilterDto {
        @IdListField({ description: '', orNone: true })
        ids: number[];
      }
      expect(bindRequest(FilterDto, { ids: [NONE, 1, NONE] })).toEqual({ ids: [NONE, 1] });
      expect(bindRequest(FilterDto, parseForm('ids[]=-1&ids[]=1'))).toEqual({ ids: [NONE, 1] });
      for (const id of [0, -2, 0.5]) expect(accepts({ ids: [id] }, FilterDto)).toBe(false);
    });
  });

  describe('with an id field', () => {
    it.each([1, 2 ** 53 - 1])('accepts %d', (id) => {
      expect(bindRequest(ValuesDto, { id })).toEqual({ id });
      expect(bindRequest(ValuesDto, { id: String(id) })).toEqual({ id });
      expect(bindRequest(ValuesDto, parseForm(`id=${id}`))).toEqual({ id });
    });

    it.each([0, -1, 1.5, 2 ** 53, '0', ' 1', '1e0', '0x1', '', null, [1], ['1']])('refuses %j', (id) => {
      expect(accepts({ id }, ValuesDto)).toBe(false);
    });
  });

  describe('with a date field', () => {
    it('accepts every calendar day of the years 1000 to 9999 unchanged', () => {
      const days = fc.date({
        min: new Date('1000-01-01'),
        max: new Date('9999-12-31'),
        noInvalidDate: true,
      });
      fc.assert(
        fc.property(days, (day) => {
          const date = day.toISOString().slice(0, 10);
          expect(bindRequest(ValuesDto, { date })).toEqual({ date });
          expect(bindRequest(ValuesDto, parseForm(`date=${date}`))).toEqual({ date });
        }),
      );
    });

    it('accepts a date only if it is a calendar day since the year 1000', () => {
      const parts = fc.tuple(
        fc.integer({ min: 0, max: 9999 }),
        fc.integer({ min: 0, max: 99 }),
        fc.integer({ min: 0, max: 99 }),
      );
      fc.assert(
        fc.property(parts, ([year, month, day]) => {
          const pad = (number: number, length: number): string => String(number).padStart(length, '0');
          const lastDay = month >= 1 && month <= 12 ? new Date(Date.UTC(2000, month, 0)).getUTCDate() : 0;
          const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
          const days = month === 2 && !isLeapYear ? 28 : lastDay;
          const date = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
          expect(accepts({ date }, ValuesDto)).toBe(year >= 1000 && day >= 1 && day <= days);
        }),
        { numRuns: runs(1000) },
      );
    });

    it.each([
      '2026-02-31',
      '2026-02-29',
      '1900-02-29',
      '2026-13-01',
      '2026-00-10',
      '2026-01-00',
      '0999-12-31',
      '2026-1-31',
      '10000-01-01',
      '2026-01-31T00:00:00Z',
      ' 2026-01-31',
      '2026-01-31\n',
      '',
      20260131,
      null,
    ])('refuses %j', (date) => {
      expect(accepts({ date }, ValuesDto)).toBe(false);
    });
  });

  describe('with a time field', () => {
    it.each(['2026-02-28T09:30:00Z', '2024-02-29T23:59:59.999+09:00'])('accepts %s', (time) => {
      expect(bindRequest(ValuesDto, { time })).toEqual({ time: new Date(time) });
    });

    it.each(['2026-02-31T00:00:00Z', '2026-02-29T00:00:00+09:00', '2026-01-31', '2026-01-31T25:00:00Z'])(
      'refuses %s',
      (time) => {
        expect(accepts({ time }, ValuesDto)).toBe(false);
      },
    );
  });

  describe('with a field for a list of words', () => {
    it.each([
      ['words[]=two&words[]=one&words[]=two', ['two', 'one']],
      ['words=one', ['one']],
      ['words[]=', []],
    ])('reads %s as %j', (text, words) => {
      expect(bindRequest(WordsDto, parseForm(text))).toEqual({ words });
      expect(bindRequest(WordsDto, { words })).toEqual({ words });
    });

    it.each([['three'], 'one', [1], [null], [['one']], null, Array<string>(1001).fill('three')])(
      'refuses %j',
      (words) => {
        expect(accepts({ words }, WordsDto)).toBe(false);
      },
    );

    it('refuses an empty or unknown word in a form', () => {
      expect(accepts(parseForm('words[]=one&words[]='), WordsDto)).toBe(false);
      expect(accepts(parseForm('words=One'), WordsDto)).toBe(false);
    });
  });

  describe('with a decimal field', () => {
    it('accepts every number with at most two decimal places', () => {
      fc.assert(
        fc.property(fc.integer({ min: 0, max: 9_999_999 }), (hundredths) => {
          const hours = hundredths / 100;
          expect(bindRequest(ValuesDto, { hours })).toEqual({ hours });
          expect(bindRequest(ValuesDto, { hours: hours.toFixed(2) })).toEqual({ hours });
          expect(bindRequest(ValuesDto, parseForm(`hours=${hours.toFixed(2)}`))).toEqual({ hours });
        }),
        { numRuns: runs(1000) },
      );
    });

    it('refuses numbers with three decimal places', () => {
      fc.assert(
        fc.property(
          fc.integer({ min: 0, max: 9_999_999 }),
          fc.integer({ min: 1, max: 9 }),
          (hundredths, rest) => {
            expect(accepts({ hours: Number(`${(hundredths / 100).toFixed(2)}${rest}`) }, ValuesDto)).toBe(
              false,
            );
          },
        ),
      );
    });

    it.each([-0.01, 99_999.995, 100_000, Infinity, NaN, '1,5', true, null])('refuses %s', (hours) => {
      expect(accepts({ hours }, ValuesDto)).toBe(false);
    });

    it.each(['', '.5', '1.', '1e2', '0x1', '1,5', '+1', '1.005', '-1', '1 '])(
      'refuses %j in a form',
      (text) => {
        expect(accepts(parseForm(`hours=${encodeURIComponent(text)}`), ValuesDto)).toBe(false);
      },
    );
  });

  describe('with nullable fields', () => {
    const names = [...(fieldsOf(NullableDto)?.keys() ?? [])].filter((name) => name !== 'codes');

    it.each(names)('accepts null for %s in JSON and an empty value in a form', (name) => {
      expect(bindRequest(NullableDto, { [name]: null })).toEqual({ [name]: null });
      const empty = name === 'ids' ? [] : null;
      expect(bindRequest(NullableDto, parseForm(`${name}=`))).toEqual({ [name]: empty });
    });

    it('omits absent fields and accepts values other than null', () => {
      expect(bindRequest(NullableDto, {})).toEqual({});
      expect(bindRequest(NullableDto, { text: ' a ', word: 'asc', hours: 0.5 })).toEqual({
        text: 'a',
        word: 'asc',
        hours: 0.5,
      });
    });

    it.each([
      ['date', ''],
      ['text', ''],
      ['word', ''],
      ['flag', 0],
      ['ids', [null]],
      ['codes', null],
    ])('refuses %s with the value %j', (name, value) => {
      expect(accepts({ [name]: value }, NullableDto)).toBe(false);
    });
  });

  it.each(['ids[]=', 'ids='])('reads %s in a form as an empty list', (text) => {
    expect(bindRequest(NullableDto, parseForm(text))).toEqual({ ids: [] });
    expect(bindRequest(NullableDto, parseForm(text.replace('ids', 'codes')))).toEqual({ codes: [] });
  });
});
