import fc from 'fast-check';
import { extractTexts, parseWithTexts, withTexts } from './text-references';

const SCOPE = { projectId: 1, period: 700 };
const LONG = 'A long text. '.repeat(100);

/** Short and long texts, some of which look like references. */
const text = fc
  .tuple(
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('{"$text":"', `{"$text":"${'A'.repeat(43)}"}`, '$&', '"\\'),
    ),
    fc.constantFrom('', LONG),
  )
  .map(([start, end]) => start + end);

const content = fc.object({
  key: fc.constantFrom('description', 'comment', 'content', 'changes', 'new_value'),
  values: [text, fc.integer(), fc.constant(null), fc.boolean()],
  withNullPrototype: false,
});

describe('content with references to long texts', () => {
  it('resolves to the original, byte for byte and parsed', () => {
    fc.assert(
      fc.property(content, (original) => {
        const { content: kept, texts } = extractTexts(SCOPE, original);
        const json = JSON.stringify(kept);
        expect(withTexts(json, texts)).toBe(JSON.stringify(original));
        expect(parseWithTexts(json, texts)).toEqual(JSON.parse(JSON.stringify(original)));
        expect(json.includes(LONG)).toBe(false);
      }),
    );
  });

  it('stores equal texts once', () => {
    const { content: kept, texts } = extractTexts(SCOPE, {
      description: LONG,
      changes: [{ new_value: LONG }],
    });
    expect([...texts.values()]).toEqual([LONG]);
    expect(parseWithTexts(JSON.stringify(kept), texts)).toEqual({
      description: LONG,
      changes: [{ new_value: LONG }],
    });
  });

  it('uses different references in another project or period', () => {
    const scopes = [SCOPE, { ...SCOPE, projectId: 2 }, { ...SCOPE, period: 701 }];
    const digests = scopes.flatMap((scope) => [...extractTexts(scope, { description: LONG }).texts.keys()]);
    expect(new Set(digests).size).toBe(3);
  });

  it('resolves to undefined when a text is missing', () => {
    const json = JSON.stringify(extractTexts(SCOPE, { description: LONG }).content);
    expect(withTexts(json, new Map())).toBeUndefined();
    expect(parseWithTexts(json, new Map())).toBeUndefined();
  });

  it('keeps short texts in place', () => {
    const original = { description: 'x'.repeat(1024) };
    const { content: kept, texts } = extractTexts(SCOPE, original);
    expect(kept).toEqual(original);
    expect(texts.size).toBe(0);
  });
});
