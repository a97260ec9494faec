import { isReached, type ListResult, missesOf, ratioOf, toMarkdown } from './result';

const result = (list: string, small: number, large: number): ListResult => ({
  database: 'SQLite',
  list,
  caller: 'memberOfTen',
  small: { time: small, records: 20 },
  large: { time: large, records: 2000 },
});

describe('ratioOf', () => {
  it('divides the time with the large population by that with the small one', () => {
    expect(ratioOf(result('listIssues', 2, 5))).toBe(2.5);
  });
});

describe('isReached', () => {
  it.each([
    [3, true],
    [3.004, true],
    [3.006, false],
    [0.5, true],
  ])('returns for a ratio of %d: %s', (ratio, reached) => {
    expect(isReached(result('listIssues', 1, ratio))).toBe(reached);
  });
});

describe('toMarkdown', () => {
  it('shows a table row for each list', () => {
    const lines = toMarkdown([result('listIssues', 2, 5), result('countIssues', 1.04, 1234.5)]).split('\n');

    expect(lines.map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
      '| database | list | caller | records, small / large | small, ms | large, ms | ratio | target | reached |',
      expect.stringMatching(/^[| -]+$/),
      '| SQLite | `listIssues` | member of 10 | 20 / 2,000 | 2.0 | 5.0 | 2.50 | ≤ 3 | yes |',
      '| SQLite | `countIssues` | member of 10 | 20 / 2,000 | 1.0 | 1,235 | 1187.02 | ≤ 3 | NO |',
      '',
    ]);
  });
});

describe('missesOf', () => {
  it('returns the lists above the target ratio', () => {
    expect(missesOf([result('listIssues', 1, 2), result('countIssues', 1, 4)])).toEqual([
      'SQLite: countIssues (member of 10): 4.00',
    ]);
  });
});
