import fc from 'fast-check';
import { anyCharacter } from '../../../test/support/any-character';
import { parseTaggedName } from './tagged-name';

describe(parseTaggedName.name, () => {
  it.each<[string, string, string[] | undefined]>([
    ['Home', 'Home', undefined],
    ['', '', undefined],
    ['[dev] Keys', 'Keys', ['dev']],
    ['[dev][api] Keys', 'Keys', ['dev', 'api']],
    ['Keys [dev] and more [api]', 'Keys and more', ['dev', 'api']],
    ['[dev]Keys[dev]', 'Keys', ['dev']],
    ['Ke[dev]ys', 'Keys', ['dev']],
    ['[Dev][dev] Keys', 'Keys', ['Dev', 'dev']],
    ['[ two words ] Keys', 'Keys', ['two words']],
    ['[größe 漢字 😀] Keys', 'Keys', ['größe 漢字 😀']],
    ['[]Keys', 'Keys', []],
    ['[  ] Keys', 'Keys', []],
    ['[] [dev] Keys', 'Keys', ['dev']],
    ['[dev] [] Keys', 'Keys', ['dev']],
    ['int[] keys', 'int[] keys', undefined],
    ['[dev', '[dev', undefined],
    ['dev]', 'dev]', undefined],
    [']dev[', ']dev[', undefined],
    ['[dev] a] b', 'a] b', ['dev']],
    ['[[dev]] Keys', 'Keys', ['dev']],
    ['[a[b]c] Keys', 'Keys', ['b', 'ac']],
    ['[dev][api]', '[dev][api]', ['dev', 'api']],
    ['[]', '[]', []],
  ])('separates the name and tags of %j', (input, name, tags) => {
    expect(parseTaggedName(input)).toEqual(tags ? { name, tags } : { name });
  });

  const text = fc.string({ unit: anyCharacter });
  const plain = text.map((value) => value.replace(/[[\]]/g, ''));
  const tag = plain.map((value) => value.trim()).filter((value) => value !== '');

  it('returns the texts in brackets, whatever stands between them', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(plain, tag), { minLength: 1 }), plain, (parts, end) => {
        const name = parts.map(([before, inside]) => `${before}[${inside}]`).join('') + end;
        expect(parseTaggedName(name).tags).toEqual([...new Set(parts.map(([, inside]) => inside))]);
      }),
    );
  });

  it('returns a changed name that parses to itself without tags', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('[', ']', ' ', 'a', 'b', '😀') }), (written) => {
        const input = written.trim();
        const { name, tags = [] } = parseTaggedName(input);
        expect(name.length).toBeLessThanOrEqual(input.length);
        expect(new Set(tags).size).toBe(tags.length);
        for (const found of tags) expect(found).toMatch(/^[^[\]\s]([^[\]]*[^[\]\s])?$/u);
        if (name !== input) expect(parseTaggedName(name)).toEqual({ name });
      }),
    );
  });
});
