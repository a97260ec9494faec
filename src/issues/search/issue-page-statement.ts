import { Conditions } from '../../database/conditions';
import { type IssueSortKey, type ListIssuesQuery } from '../dto/issue-queries.dto';
import { SORT_EXPRESSIONS } from './issue-sort';

/** Where to look: in these projects, or in all but these. */
export type Scope = { only: readonly number[] } | { except: readonly number[] };

/** What is looked for. */
export interface Search {
  scope: Scope;
  conditions: Conditions;
  /** The same without the projects, where it is as well to ask for one project after the other. */
  ofEach?: Conditions;
}

/** What an index has the issues of a project in the order of. */
export const INDEXED_SORTS: ReadonlySet<IssueSortKey> = new Set<IssueSortKey>([
  'created',
  'updated',
  'dueDate',
]);
/** So many projects are asked one after the other, and so many rows of them are put in order. */
const MAX_BRANCHES = 100;
const MAX_BRANCH_ROWS = 20_000;

/** What a page is in the order of: an expression on an issue `i`. */
export const sortOrderOf = ({
  sort,
  order,
}: Pick<ListIssuesQuery, 'sort' | 'order'>): { key: string; direction: 'ASC' | 'DESC' } => ({
  key: SORT_EXPRESSIONS[sort],
  direction: order === 'asc' ? 'ASC' : 'DESC',
});

/** The statement that gives the ids of a page, and one more if there is. */
export function pageStatement(
  { scope, conditions, ofEach }: Search,
  query: ListIssuesQuery,
): { sql: string; parameters: unknown[] } {
  const { key, direction } = sortOrderOf(query);
  const order = `ORDER BY ${key} ${direction}, i.id ${direction}`;
  const page = `LIMIT ${query.count + 1} OFFSET ${query.offset}`;
  const projectIds = ofEach ? branchesOf(scope, query) : [];
  if (!ofEach || projectIds.length === 0) {
    const sql = `SELECT i.id AS id FROM issue i ${conditions.where} ${order} ${page}`;
    return { sql, parameters: conditions.parameters };
  }
  // An index has the issues of one project in order, but not those of several: each gives its first ones, and the first of
  // these are the page. Asked for all at once, the engines sort all that the projects have, or look through what all others
  // have.
  const { where } = new Conditions().add('i.project_id = ?').and(ofEach);
  const branch = `SELECT b.* FROM (SELECT i.id AS id, ${key} AS sort_key FROM issue i ${where}
    ${order} LIMIT ${query.offset + query.count + 1}) b`;
  return {
    sql: `SELECT u.id AS id FROM (${projectIds.map(() => branch).join(' UNION ALL ')}) u
      ORDER BY u.sort_key ${direction}, u.id ${direction} ${page}`,
    parameters: projectIds.flatMap((id) => [id, ...ofEach.parameters]),
  };
}

/** The projects to ask one after the other; none where it is better to ask for all at once. */
function branchesOf(scope: Scope, { sort, offset, count }: ListIssuesQuery): readonly number[] {
  if (!('only' in scope) || !INDEXED_SORTS.has(sort)) return [];
  const { only } = scope;
  const isFew = only.length > 1 && only.length <= MAX_BRANCHES;
  return isFew && only.length * (offset + count) <= MAX_BRANCH_ROWS ? only : [];
}
