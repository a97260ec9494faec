import { Conditions } from '../../database/conditions';
import { type WholeCustomField } from '../../custom-fields/custom-field.mapper';
import { type IssueSortKey, type ListIssuesQuery } from '../dto/issue-queries.dto';
import { customSortStatement } from './issue-custom-field-filters';
import { ISSUE_SORTS } from './issue-sort';

/** The projects to search: these, or all but these. */
export type Scope = { only: readonly number[] } | { except: readonly number[] };

/** Where to search, and the conditions that an issue `i` has to meet. */
export interface Search {
  scope: Scope;
  conditions: Conditions;
  /** The conditions without those on the project; undefined where searching project by project has no advantage. */
  ofEach?: Conditions;
  /** The custom field to sort by; undefined to sort by the key of the query. */
  customSort?: WholeCustomField;
}

/** The sort keys for which an index has a project's issues in order. */
export const INDEXED_SORTS: ReadonlySet<string> = new Set<IssueSortKey>(['created', 'updated', 'dueDate']);
/** How many projects are searched one by one, and how many of their rows are sorted at most. */
const MAX_BRANCHES = 100;
const MAX_BRANCH_ROWS = 20_000;

/** The statement that selects the ids of a page, and one more if there is one. */
export function pageStatement(
  { scope, conditions, ofEach, customSort }: Search,
  query: ListIssuesQuery,
): { sql: string; parameters: unknown[] } {
  if (customSort) return customSortStatement(customSort, conditions, query);
  const { expression, join = '' } = ISSUE_SORTS[query.sort as IssueSortKey];
  const direction = query.order === 'asc' ? 'ASC' : 'DESC';
  const order = `ORDER BY ${expression} ${direction}, i.id ${direction}`;
  const page = `LIMIT ${query.count + 1} OFFSET ${query.offset}`;
  const projectIds = ofEach ? branchesOf(scope, query) : [];
  if (!ofEach || projectIds.length === 0) {
    const sql = `SELECT i.id AS id FROM issue i ${join} ${conditions.where} ${order} ${page}`;
    return { sql, parameters: conditions.parameters };
  }
  // An index has the issues of one project in order, but not those of several. So the first issues of each project are
  // selected, and the first of these are the page. Without that, the engines sort all issues of the projects, or read the
  // issues of all other projects as well.
  const { where } = new Conditions().add('i.project_id = ?').and(ofEach);
  const branch = `SELECT b.* FROM (SELECT i.id AS id, ${expression} AS sort_key FROM issue i ${where}
    ${order} LIMIT ${query.offset + query.count + 1}) b`;
  return {
    sql: `SELECT u.id AS id FROM (${projectIds.map(() => branch).join(' UNION ALL ')}) u
      ORDER BY u.sort_key ${direction}, u.id ${direction} ${page}`,
    parameters: projectIds.flatMap((id) => [id, ...ofEach.parameters]),
  };
}

/** The projects to search one by one; none where it is better to search all at once. */
function branchesOf(scope: Scope, { sort, offset, count }: ListIssuesQuery): readonly number[] {
  if (!('only' in scope) || !INDEXED_SORTS.has(sort)) return [];
  const { only } = scope;
  const isFew = only.length > 1 && only.length <= MAX_BRANCHES;
  return isFew && only.length * (offset + count) <= MAX_BRANCH_ROWS ? only : [];
}
