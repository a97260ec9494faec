import { toColumnName } from '../../database/sql/statements';
import { displayOrderOf } from '../../project-settings/data/setting-sql';
import { userNameSort } from '../../users/data/user-order';
import { type IssueSortKey } from '../dto/issue-queries.dto';
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

const sortByColumn = (field: ValueField): IssueSort => ({ expression: `i.${toColumnName(field)}` });

/** Sort definitions by key. `NULL` sorts below all values on every engine. */
export const ISSUE_SORTS: Readonly<Record<IssueSortKey, IssueSort>> = {
  issueType: displayOrderOf('issue_type', 'i.issue_type_id'),
  category: sortByFirst('issue_category', 'category_id', 'category'),
  version: sortByFirst('issue_version', 'version_id', 'version'),
  milestone: sortByFirst('issue_milestone', 'version_id', 'version'),
  summary: { expression: 'i.summary' },
  status: displayOrderOf('issue_status', 'i.status_id'),
  priority: { expression: 'i.priority_id' },
  attachment: { expression: '(SELECT COUNT(*) FROM issue_attachment f WHERE f.issue_id = i.id)' },
  sharedFile: { expression: '(SELECT COUNT(*) FROM issue_shared_file s WHERE s.issue_id = i.id)' },
  created: { expression: 'i.created' },
  createdUser: userNameSort('i.created_user_id'),
  updated: { expression: 'i.updated' },
  updatedUser: userNameSort('i.updated_user_id'),
  assignee: userNameSort('i.assignee_id'),
  ...(Object.fromEntries(VALUE_FIELDS.map((field) => [field, sortByColumn(field)])) as Record<
    ValueField,
    IssueSort
  >),
  childIssue: { expression: '(SELECT COUNT(*) FROM issue k WHERE k.parent_issue_id = i.id)' },
};
