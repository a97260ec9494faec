import fc from 'fast-check';
import { MAX_ANSWER_BYTES, partOf, toAnswerText } from './shorten';

describe(toAnswerText, () => {
  it('leaves out empty values, but not an empty list of records', async () => {
    const answer = { items: [], name: '', of: null, tags: [], number: 0, isDone: false, inner: { text: '' } };
    expect(await toAnswerText(answer)).toBe('{"items":[],"number":0,"isDone":false,"inner":{}}');
  });

  it('stays within its limit, whatever it is given', async () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constant('å'.repeat(20_000)));
    const record = fc.dictionary(
      fc.string(),
      fc.oneof(text, fc.integer(), fc.array(text, { maxLength: 50 })),
    );
    const answer = fc.oneof(record, fc.record({ items: fc.array(record, { maxLength: 100 }) }));
    await fc.assert(
      fc.asyncProperty(answer, async (given) => {
        expect(Buffer.byteLength(await toAnswerText(given))).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
      }),
      { numRuns: 30 },
    );
  });

  it('says how many characters and records are missing', async () => {
    const one = JSON.parse(await toAnswerText({ text: 'x'.repeat(30_000) })) as { text: string };
    expect(one.text).toMatch(/^x{8000}… \(22000 more characters\)$/);
    const items = Array.from({ length: 2000 }, (_, id) => ({ id, name: 'y'.repeat(100) }));
    const many = JSON.parse(await toAnswerText({ items, total: 2000 })) as {
      items: object[];
      total: number;
      next: string;
    };
    expect(many.total).toBe(2000);
    expect(many.next).toContain(`${2000 - many.items.length} more records`);
  });

  it('leaves a part of a text as it is, however long the rest is', async () => {
    const { text, next } = partOf('\u0001😀å'.repeat(20_000));
    const others = Array.from({ length: 10 }, () => 'x'.repeat(2500));
    const answer = JSON.parse(await toAnswerText({ text, next, others })) as { text: string };
    expect(answer.text).toBe(text.text);
    expect(next).toContain(`continue with offset=${text.text.length}.`);
  });

  it('cuts between characters', async () => {
    const { text } = JSON.parse(await toAnswerText({ text: `a${'😀'.repeat(20_000)}` })) as { text: string };
    expect(text.isWellFormed()).toBe(true);
  });
});

describe(partOf, () => {
  it('returns a text in parts that are together the whole', () => {
    const whole = Array.from({ length: 20_000 }, (_, index) => String(index)).join(' ');
    let read = '';
    for (let offset = 0; ;) {
      const { text, next } = partOf(whole, offset);
      read += text.text;
      if (next === undefined) break;
      offset = Number(/offset=(\d+)/.exec(next)?.[1]);
    }
    expect(read).toBe(whole);
  });
});
