import { type Conditions } from '../../database/sql/conditions';
import { isMerged, mergedPage } from '../../database/sql/merged-page';
import { type WholeCustomField } from '../../custom-fields/custom-field.mapper';
import { type ProjectScope } from '../../projects/data/project-scope';
import { type IssueSortKey, type ListIssuesQuery } from '../dto/issue-queries.dto';
import { customSortStatement } from './issue-custom-field-filters';
import { ISSUE_SORTS } from './issue-sort';

/** The scope of a search, and its conditions on an issue `i`. */
export interface Search {
  scope: ProjectScope;
  conditions: Conditions;
  /** The conditions other than those on the project; undefined where searching each project separately has no advantage. */
  perProject?: Conditions;
  /** The custom field to sort by; undefined to sort by the key of the query. */
  customSort?: WholeCustomField;
  /** An index hint in SQL, where the most selective index is known. */
  index?: string;
}

/** Sort keys for which an index has a project's issues in order. */
export const INDEXED_SORTS: ReadonlySet<string> = new Set<IssueSortKey>(['created', 'updated', 'dueDate']);

/** Returns the statement that selects the ids of a page, plus the next one if it exists. */
export function pageStatement(
  { scope, conditions, perProject, customSort, index = '' }: Search,
  query: ListIssuesQuery,
): { sql: string; parameters: unknown[] } {
  if (customSort) return customSortStatement(customSort, conditions, query);
  const { expression, join = '' } = ISSUE_SORTS[query.sort as IssueSortKey];
  const direction = query.order === 'asc' ? 'ASC' : 'DESC';
  if (perProject && 'only' in scope && INDEXED_SORTS.has(query.sort) && isMerged(scope.only, query)) {
    const scan = { select: 'i.id AS id', from: 'issue i', projectId: 'i.project_id', id: 'i.id' };
    return mergedPage(scope.only, { ...scan, sortKey: expression, conditions: perProject }, query);
  }
  return {
    sql: `SELECT i.id AS id FROM issue i ${index} ${join} ${conditions.where}
      ORDER BY ${expression} ${direction}, i.id ${direction} LIMIT ${query.count + 1} OFFSET ${query.offset}`,
    parameters: conditions.parameters,
  };
}
