const KEYWORDS =
  /\b(?=(?:AND|OR|WHERE|SET|VALUES|FROM|JOIN|ORDER BY|GROUP BY|LIMIT|OFFSET|UNION ALL|ON DUPLICATE|FOR UPDATE)\b)|,|(?<=^INSERT [^(]*)\(/;
/** What depends on a clause's place alone: as the first or the last of several, or in parentheses. */
const PLACE = /^(?:WHERE|AND|OR|SET)\b|^\(+|\)+$/g;

/**
 * Returns the clauses of a statement, each with the verb and the table of the statement. Filters and changed columns combine in
 * thousands of statements, which differ between engines only where one of their clauses does.
 */
export function clausesOf(sql: string): string[] {
  const form = withoutLiterals(sql);
  const [verb] = form.split(' ', 1);
  const [, table = ''] = /(?:FROM|INTO|UPDATE) (?:\(SELECT.*?FROM )*`?(\w+)/.exec(form) ?? [];
  return form.split(KEYWORDS).map((clause) => `${verb} ${table}: ${withoutPlace(clause)}`);
}

/** Returns a statement without its literals and test databases, and with one value or row where it may have any number of them. */
const withoutLiterals = (sql: string): string =>
  sql
    .replace(/'(?:[^'\\]|''|\\.)*'/g, '?')
    .replace(/\b\d+\b/g, '?')
    .replace(/`?pms_test_\w+`?\./g, '')
    .replace(/\s+/g, ' ')
    .replace(/\?(?: ?, ?\?)+/g, '?')
    .replace(/( WHEN \? THEN \?)+/g, '$1')
    .replace(/(\([^()]*\))(?: ?, ?\1)+/g, '$1')
    .trim();

const withoutPlace = (clause: string): string =>
  clause.trim().replace(PLACE, '').trim().replace(PLACE, '').trim();
