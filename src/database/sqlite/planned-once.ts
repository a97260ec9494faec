/** Quoted texts, names and comments; a parameter as an element of a list; any other parameter. */
const TOKENS = /'(?:[^']|'')*'|"[^"]*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\/|[(,]\s*\?|\?/g;

/**
 * Returns a statement that SQLite plans once, when it is prepared. If the value of a parameter can influence the plan, SQLite plans the
 * statement anew for each execution, which often takes longer than the execution. It looks at the values of parameters after `LIMIT` and
 * `LIKE`, and since 3.54 also after `=` in a join or a subquery, but evaluates no expression to plan. The plus sign changes no
 * value, not even text (`docs/decisions/0078-statements-planned-once.md`).
 */
export const plannedOnce = (sql: string): string =>
  sql.replaceAll(TOKENS, (token) => (token === '?' ? '+?' : token));
