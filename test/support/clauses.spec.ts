import { clausesOf } from './clauses';

describe(clausesOf.name, () => {
  it.each([
    [
      'SELECT i.id FROM issue i WHERE i.id IN (1, 2) AND i.summary = ?',
      'SELECT i.id FROM issue i WHERE i.summary = ? AND i.id IN (3)',
    ],
    ['UPDATE issue SET `a` = ?, `b` = ? WHERE id = 1', 'UPDATE issue SET `b` = ?, `a` = ? WHERE id = 2'],
    [
      "INSERT INTO `star` (`a`,`b`) VALUES ('it''s', ?), (?, ?)",
      'INSERT INTO `star` (`b`,`a`) VALUES (?, 5)',
    ],
    [
      'UPDATE t SET p = CASE id WHEN ? THEN ? WHEN ? THEN ? END',
      'UPDATE t SET p = CASE id WHEN ? THEN ? END',
    ],
  ])('returns the same for %s and %s', (one, other) => {
    expect(new Set(clausesOf(one))).toEqual(new Set(clausesOf(other)));
  });

  it('names the verb and the table of each clause', () => {
    expect(clausesOf('SELECT id FROM issue WHERE updated > ? ORDER BY id DESC LIMIT 20')).toEqual([
      'SELECT issue: SELECT id',
      'SELECT issue: FROM issue',
      'SELECT issue: updated > ?',
      'SELECT issue: ORDER BY id DESC',
      'SELECT issue: LIMIT ?',
    ]);
  });
});
