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

describe('fields of requests', () => {
  it('are inherited, and not given to the class they come from', () => {
    expect([...(fieldsOf(ExtendedDto)?.keys() ?? [])]).toContain('text');
    expect([...(fieldsOf(TextDto)?.keys() ?? [])]).not.toContain('extra');
    expect(fieldsOf(Object)).toBeUndefined();
  });

  describe('texts', () => {
    it.each([
      ['letters', 'abcd', 4],
      ['astral characters', '😀😀😀😀', 4],
      ['a letter and a combining accent', 'e\u0301', 2],
      ['a heart and a variation selector', '\u2764\ufe0f', 2],
      ['a flag of two regional letters', '🇯🇵', 2],
      ['two persons joined', '👩\u200d👧', 3],
      ['ideographs beyond the basic plane', '𠮷𠮷', 2],
    ])('count %s by code points', (_name, text, length) => {
      expect(codePointLength(text)).toBe(length);
      expect(accepts({ text })).toBe(true);
      expect(accepts({ text: text.padEnd(text.length + 4 - length, 'x') })).toBe(true);
      expect(accepts({ text: text.padEnd(text.length + 5 - length, 'x') })).toBe(false);
    });

    it('are as long as their encoding in 32-bit units', () => {
      fc.assert(
        fc.property(fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })), (characters) => {
          expect(codePointLength(characters.join(''))).toBe(characters.length);
        }),
      );
    });

    it.each(['a\0', '\ud800a', 'a\udc00', '\udc00\ud800'])('refuse %j', (text) => {
      expect(isCleanText(text)).toBe(false);
      expect(accepts({ text })).toBe(false);
    });

    it('are kept as they are unless they are names', () => {
      expect(bindRequest(TextDto, { text: ' a ', trimmed: ' a\t\n' })).toEqual({ text: ' a ', trimmed: 'a' });
    });

    it.each(['', ' ', '\t\n', '\u3000', '\u00a0'])(
      'refuse %j where there must be something to read',
      (blank) => {
        expect(accepts({ trimmed: blank })).toBe(false);
        expect(accepts({ content: blank })).toBe(false);
      },
    );

    it('measure a name after it is trimmed', () => {
      expect(accepts({ trimmed: `  ${'x'.repeat(4)}  ` })).toBe(true);
      expect(accepts({ trimmed: 'x'.repeat(5) })).toBe(false);
    });
  });

  describe('addresses', () => {
    it.each([
      'http://example.com',
      'https://example.com/a?b=c#d',
      'HTTPS://EXAMPLE.COM',
      'http://127.0.0.1:8080/',
      'http://[::1]/',
      'https://exämple.com/ü',
      `https://example.com/${'x'.repeat(20)}`,
    ])('can be %j', (url) => {
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
    ])('cannot be %j', (url) => {
      expect(accepts({ url })).toBe(false);
    });
  });

  describe('colours', () => {
    it.each([
      ['#AbCdEf', '#abcdef'],
      ['#000000', '#000000'],
    ])('take %s as %s', (color, stored) => {
      expect(bindRequest(TextDto, { color })).toEqual({ color: stored });
    });

    it.each(['', '#fff', 'ffffff', '#gggggg', '#ffffff ', '#fffffff', 'red', '#ffffff\n', '＃ffffff'])(
      'refuse %j',
      (color) => {
        expect(accepts({ color })).toBe(false);
      },
    );
  });

  describe('lists of ids', () => {
    it('lose duplicates before they are counted, and keep the order of the first of each', () => {
      const ids = Array.from({ length: 1000 }, (_, index) => 1000 - index);
      expect(bindRequest(TextDto, { ids: [...ids, ...ids] })).toEqual({ ids });
      expect(accepts({ ids: [...ids, 1001] })).toBe(false);
    });

    it.each([[[]], [[0]], [[-1]], [[1, '2']], [[[1]]], [[2 ** 53]]])('refuse %j', (ids) => {
      expect(accepts({ ids })).toBe(false);
    });

    it('may say that there is none, where the field has a meaning for it', () => {
      class FilterDto {
        @IdListField({ description: '', orNone: true })
        ids: number[];
      }
      expect(bindRequest(FilterDto, { ids: [NONE, 1, NONE] })).toEqual({ ids: [NONE, 1] });
      expect(bindRequest(FilterDto, parseForm('ids[]=-1&ids[]=1'))).toEqual({ ids: [NONE, 1] });
      for (const id of [0, -2, 0.5]) expect(accepts({ ids: [id] }, FilterDto)).toBe(false);
    });
  });

  describe('ids', () => {
    it.each([1, 2 ** 53 - 1])('can be %d', (id) => {
      expect(bindRequest(ValuesDto, { id })).toEqual({ id });
      expect(bindRequest(ValuesDto, { id: String(id) })).toEqual({ id });
      expect(bindRequest(ValuesDto, parseForm(`id=${id}`))).toEqual({ id });
    });

    it.each([0, -1, 1.5, 2 ** 53, '0', ' 1', '1e0', '0x1', '', null, [1], ['1']])('cannot be %j', (id) => {
      expect(accepts({ id }, ValuesDto)).toBe(false);
    });
  });

  describe('dates', () => {
    it('are the days of the calendar, and stay as they are', () => {
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

    it('are no other days', () => {
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
    ])('cannot be %j', (date) => {
      expect(accepts({ date }, ValuesDto)).toBe(false);
    });
  });

  describe('times', () => {
    it.each(['2026-02-28T09:30:00Z', '2024-02-29T23:59:59.999+09:00'])('can be %s', (time) => {
      expect(bindRequest(ValuesDto, { time })).toEqual({ time: new Date(time) });
    });

    it.each(['2026-02-31T00:00:00Z', '2026-02-29T00:00:00+09:00', '2026-01-31', '2026-01-31T25:00:00Z'])(
      'cannot be %s',
      (time) => {
        expect(accepts({ time }, ValuesDto)).toBe(false);
      },
    );
  });

  describe('lists of words', () => {
    it.each([
      ['words[]=two&words[]=one&words[]=two', ['two', 'one']],
      ['words=one', ['one']],
      ['words[]=', []],
    ])('can be %s', (text, words) => {
      expect(bindRequest(WordsDto, parseForm(text))).toEqual({ words });
      expect(bindRequest(WordsDto, { words })).toEqual({ words });
    });

    it.each([['three'], 'one', [1], [null], [['one']], null, Array<string>(1001).fill('three')])(
      'cannot be %j',
      (words) => {
        expect(accepts({ words }, WordsDto)).toBe(false);
      },
    );

    it('cannot have a word that is none in a form', () => {
      expect(accepts(parseForm('words[]=one&words[]='), WordsDto)).toBe(false);
      expect(accepts(parseForm('words=One'), WordsDto)).toBe(false);
    });
  });

  describe('decimals', () => {
    it('are every number of so many decimals', () => {
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

    it('are no number of more decimals', () => {
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

    it.each([-0.01, 99_999.995, 100_000, Infinity, NaN, '1,5', true, null])('cannot be %p', (hours) => {
      expect(accepts({ hours }, ValuesDto)).toBe(false);
    });

    it.each(['', '.5', '1.', '1e2', '0x1', '1,5', '+1', '1.005', '-1', '1 '])(
      'cannot be %j in a form',
      (text) => {
        expect(accepts(parseForm(`hours=${encodeURIComponent(text)}`), ValuesDto)).toBe(false);
      },
    );
  });

  describe('that may be null', () => {
    const names = [...(fieldsOf(NullableDto)?.keys() ?? [])].filter((name) => name !== 'codes');

    it.each(names)('take null for %s, and in a form nothing', (name) => {
      expect(bindRequest(NullableDto, { [name]: null })).toEqual({ [name]: null });
      const empty = name === 'ids' ? [] : null;
      expect(bindRequest(NullableDto, parseForm(`${name}=`))).toEqual({ [name]: empty });
    });

    it('leave absent fields untouched, and take what they took', () => {
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
    ])('refuse %s as %j', (name, value) => {
      expect(accepts({ [name]: value }, NullableDto)).toBe(false);
    });
  });

  it.each(['ids[]=', 'ids='])('clear lists in a form by %s', (text) => {
    expect(bindRequest(NullableDto, parseForm(text))).toEqual({ ids: [] });
    expect(bindRequest(NullableDto, parseForm(text.replace('ids', 'codes')))).toEqual({ codes: [] });
  });
});
