import fc from 'fast-check';
import { tagsOf } from './tags-of';

describe(tagsOf.name, () => {
  it.each([
    ['Home', []],
    ['', []],
    ['[dev] Keys', ['dev']],
    ['[dev][api] Keys', ['dev', 'api']],
    ['Keys [dev] and more [api]', ['dev', 'api']],
    ['[dev]Keys[dev]', ['dev']],
    ['[Dev][dev]', ['Dev', 'dev']],
    ['[ two words ]', ['two words']],
    ['[größe 漢字 😀]', ['größe 漢字 😀']],
    ['[]Keys', []],
    ['[  ]Keys', []],
    ['[dev', []],
    ['dev]', []],
    [']dev[', []],
    ['[[dev]]', ['dev']],
    ['[a[b]c]', ['b']],
    ['[a]b]', ['a']],
  ])('finds in %j %j', (name, tags) => {
    expect(tagsOf(name)).toEqual(tags);
  });

  const text = fc.string({ unit: 'binary' });
  const plain = text.map((value) => value.replace(/[[\]]/g, ''));
  const tag = plain.map((value) => value.trim()).filter((value) => value !== '');

  it('finds what has been put in brackets, whatever stands between', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(plain, tag)), plain, (parts, end) => {
        const name = parts.map(([before, inside]) => `${before}[${inside}]`).join('') + end;
        expect(tagsOf(name)).toEqual([...new Set(parts.map(([, inside]) => inside))]);
      }),
    );
  });

  it('gives of any name distinct, trimmed parts of it without brackets', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('[', ']', ' ', 'a', 'b', '😀') }), (name) => {
        const tags = tagsOf(name);
        expect(new Set(tags).size).toBe(tags.length);
        for (const found of tags) {
          expect(found).toMatch(/^[^[\]\s]([^[\]]*[^[\]\s])?$/u);
          expect(name).toContain(found);
        }
      }),
    );
  });
});
