import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecordSpool } from './record-spool';

describe(RecordSpool.name, () => {
  let folder: string;
  let records: RecordSpool;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'record-spool-'));
    records = new RecordSpool(join(folder, 'build.db'));
  });

  afterEach(() => {
    records.close();
    rmSync(folder, { recursive: true });
  });

  const numbers = Array.from({ length: 250 }, (_value, index) => index);

  it('yields the records within a key in order, also while others are added', () => {
    for (const number of [...numbers].reverse()) {
      records.add('kind', [1, number - 5], { number });
      records.add('kind', [2, number], { number: -1 });
      records.add('other', [1, number], { number: -1 });
    }
    const found: number[] = [];
    for (const { number } of records.within<{ number: number }>('kind', 1)) {
      found.push(number);
      records.add('added', [number], {});
    }
    expect(found).toEqual(numbers);
    expect(records.count('added')).toBe(numbers.length);
  });

  it('yields records within a text by texts, in the order of their bytes', () => {
    const texts = numbers.map((number) => String(number).padStart(3, '0'));
    for (const text of [...texts].reverse()) records.add('kind', ['a path', text], { text });
    records.add('kind', ['another', ''], { text: 'empty' });
    expect([...records.within<{ text: string }>('kind', 'a path')].map(({ text }) => text)).toEqual(texts);
    expect([...records.within('kind', 'another')]).toEqual([{ text: 'empty' }]);
    expect([...records.within('kind', 'none')]).toEqual([]);
  });
});
