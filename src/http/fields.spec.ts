import fc from 'fast-check';
import { InvalidRequestError } from '../errors/domain-errors';
import {
  codePointLength,
  fieldsOf,
  IdListField,
  isCleanText,
  TextField,
  UrlField,
  ColorField,
} from './fields';
import { bindRequest } from './request-dto.pipe';

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

class ExtendedDto extends TextDto {
  @TextField({ description: '', max: 1, optional: true })
  extra?: string;
}

const accepts = (value: object): boolean => {
  try {
    bindRequest(TextDto, value);
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
  });
});
