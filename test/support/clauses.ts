const KEYWORDS =
  /\b(?=(?:AND|OR|WHERE|SET|VALUES|FROM|JOIN|ORDER BY|GROUP BY|LIMIT|OFFSET|UNION ALL|ON DUPLICATE|FOR UPDATE)\b)|,|(?<=^INSERT [^(]*)\(/;
/** What depends on a clause's place alone: as the first or the last of several, or in parentheses. */
const PLACE = /^(?:WHERE|AND|OR|SET)\b|^\(+|\)+$/g;

const COLUMN = String.raw`(?:\`?\w+\`?\.)?\`?\w+\`?`;
/** A column, also compared with values: all engines take these alike. `check-statements.ts` finds names that are reserved words. */
const COLUMN_ALONE = new RegExp(
  String.raw`^(?:SELECT |DISTINCT )*${COLUMN}(?: AS \`?\w+\`?| (?:[<>]?=|<>|<|>) \?| (?:NOT )?IN \(\?\)?| IS (?:NOT )?NULL)?$`,
);

/**
 * Returns the clauses of a statement in which engines can differ, each with the verb and the table of the statement. Filters and changed
 * columns combine in thousands of statements, which differ between engines only where one of their clauses does.
 */
export function clausesOf(sql: string): string[] {
  const form = withoutLiterals(sql);
  const [verb] = form.split(' ', 1);
  const [, table = ''] = /(?:FROM|INTO|UPDATE) (?:\(SELECT.*?FROM )*`?(\w+)/.exec(form) ?? [];
  return form
    .split(KEYWORDS)
    .map(withoutPlace)
    .filter((clause) => !COLUMN_ALONE.test(clause))
    .map((clause) => `${verb} ${table}: ${clause}`);
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
