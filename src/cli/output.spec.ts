import { tableLines } from './output';

describe('tableLines', () => {
  it('returns a line of headings and pads columns to their longest value', () => {
    const rows = [
      { ID: 1, User: 'admin' },
      { ID: 1000, User: 'robin' },
    ];
    expect(tableLines(rows)).toEqual(['ID    User', '1     admin', '1000  robin']);
  });

  it('replaces control characters', () => {
    const [, line] = tableLines([{ Name: 'a\u001b[2Jb\nc\u202ed' }]);
    expect(line).toBe('a\ufffd[2Jb\ufffdc\ufffdd');
  });
});
