import { plannedOnce } from './planned-once';

describe('plannedOnce', () => {
  it.each([
    ['a = ? AND b <> ? OR c IS ?', 'a = +? AND b <> +? OR c IS +?'],
    ['a LIKE ? LIMIT ? OFFSET ?', 'a LIKE +? LIMIT +? OFFSET +?'],
    ['CASE WHEN ? THEN 1 END', 'CASE WHEN +? THEN 1 END'],
    ['a=?', 'a=+?'],
  ])('makes the parameters of %s expressions', (sql, expected) => {
    expect(plannedOnce(sql)).toBe(expected);
  });

  it.each([
    'a IN (?, ?,?) AND b IN ( ?\n, ?)',
    'INSERT INTO t (a, b) VALUES (?,?)',
    'COALESCE(?, 1)',
    "'a = ?' <> 'it''s ?' AND \"b = ?\" > `c = ?`",
    "a -- isn't = ?\n/* nor = ? */ > 1",
  ])('leaves %j as it is', (sql) => {
    expect(plannedOnce(sql)).toBe(sql);
  });

  it('finds parameters after an odd quote in a comment', () => {
    expect(plannedOnce("a -- isn't\n = ? AND b = 'x = ?'")).toBe("a -- isn't\n = +? AND b = 'x = ?'");
  });
});
