import { type DataSource } from 'typeorm';
import { findTexts } from './activity-text.repository';

const digestOf = (number: number): string => String(number).padStart(43, '0');

describe('the texts that JSON refers to', () => {
  it('reads thousands of them in statements with few parameters', async () => {
    const sizes: number[] = [];
    const runner = {
      query: (_sql: string, digests: string[]) => {
        sizes.push(digests.length);
        return Promise.resolve(digests.map((digest) => ({ digest, text: `text ${Number(digest)}` })));
      },
    } as unknown as DataSource;
    const jsons = Array.from({ length: 2100 }, (_, number) => JSON.stringify({ $text: digestOf(number) }));
    const texts = await findTexts(runner, [...jsons, ...jsons]);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1000);
    expect([texts.size, texts.get(digestOf(2099))]).toEqual([2100, 'text 2099']);
  });
});
