import { clausesOf } from './clauses';

describe(clausesOf.name, () => {
  it.each([
    [
      'SELECT i.id FROM issue i WHERE ABS(i.id) IN (1, 2) AND LOWER(i.summary) = ?',
      'SELECT i.id FROM issue i WHERE LOWER(i.summary) = ? AND ABS(i.id) IN (3)',
    ],
    [
      'UPDATE issue SET `a` = a + ?, `b` = ABS(?) WHERE id = 1',
      'UPDATE issue SET `b` = ABS(?), `a` = a + ? WHERE id = 2',
    ],
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
    expect(clausesOf('SELECT MAX(id) FROM issue WHERE updated > created ORDER BY id DESC LIMIT 20')).toEqual([
      'SELECT issue: SELECT MAX(id',
      'SELECT issue: FROM issue',
      'SELECT issue: updated > created',
      'SELECT issue: ORDER BY id DESC',
      'SELECT issue: LIMIT ?',
    ]);
  });

  it('leaves out columns that are only named, or compared with a value', () => {
    const sql =
      'SELECT DISTINCT i.id, `i`.`key` AS `k` FROM issue i WHERE a = ? AND `i`.b IN (1, 2) AND c IS NULL';
    expect(clausesOf(sql)).toEqual(['SELECT issue: FROM issue i']);
  });
});
