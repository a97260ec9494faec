import { tableLines } from './output';

describe('a table', () => {
  it('has a line of headings, and columns as wide as their longest text', () => {
    const rows = [
      { ID: 1, User: 'admin' },
      { ID: 1000, User: 'robin' },
    ];
    expect(tableLines(rows)).toEqual(['ID    User', '1     admin', '1000  robin']);
  });

  it('has nothing that a terminal would obey', () => {
    const [, line] = tableLines([{ Name: 'a\u001b[2Jb\nc\u202ed' }]);
    expect(line).toBe('a\ufffd[2Jb\ufffdc\ufffdd');
  });
});
