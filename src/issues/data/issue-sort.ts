import { toColumnName } from '../../database/sql/statements';
import { displayOrderOf } from '../../project-settings/data/setting-sql';
import { userNameSort } from '../../users/data/user-order';
import { type IssueSortKey } from '../dto/issue-queries.dto';
import { CHILDREN, FILES, type IssueRows, SHARED_FILES } from './issue-filters';
import { VALUE_FIELDS, type ValueField } from '../issue-fields';

/** The sort expression of a key for an issue `i`, and the join that it needs. */
export interface IssueSort {
  expression: string;
  join?: string;
}

/** Sorts by the lowest display order among an issue's categories or versions. */
function sortByFirst(links: string, column: string, kind: 'category' | 'version'): IssueSort {
  const { expression, join } = displayOrderOf(kind, `l.${column}`);
  return { expression: `(SELECT MIN(${expression}) FROM ${links} l ${join} WHERE l.issue_id = i.id)` };
}

/**
 * Sorts by a column. The plus sign disables its index, which statements that filter would have to read up to the first match: only groups
 * of all issues are read in its order (`issue-groups.ts`).
 */
const sortByColumn = (field: ValueField | 'summary' | 'priorityId'): IssueSort => ({
  expression: `+i.${toColumnName(field)}`,
});

const sortByNumber = ({ table, column }: IssueRows): IssueSort => ({
  expression: `(SELECT COUNT(*) FROM ${table} k WHERE k.${column} = i.id)`,
});

/** Sort definitions by key. `NULL` sorts below all values on every engine. */
export const ISSUE_SORTS: Readonly<Record<IssueSortKey, IssueSort>> = {
  issueType: displayOrderOf('issue_type', 'i.issue_type_id'),
  category: sortByFirst('issue_category', 'category_id', 'category'),
  version: sortByFirst('issue_version', 'version_id', 'version'),
  milestone: sortByFirst('issue_milestone', 'version_id', 'version'),
  summary: sortByColumn('summary'),
  status: displayOrderOf('issue_status', 'i.status_id'),
  priority: sortByColumn('priorityId'),
  attachment: sortByNumber(FILES),
  sharedFile: sortByNumber(SHARED_FILES),
  created: { expression: 'i.created' },
  createdUser: userNameSort('i.created_user_id'),
  updated: { expression: 'i.updated' },
  updatedUser: userNameSort('i.updated_user_id'),
  assignee: userNameSort('i.assignee_id'),
  ...(Object.fromEntries(VALUE_FIELDS.map((field) => [field, sortByColumn(field)])) as Record<
    ValueField,
    IssueSort
  >),
  dueDate: { expression: 'i.due_date' },
  childIssue: sortByNumber(CHILDREN),
};
