import { displayOrderOf } from '../../project-settings/setting-sql';
import { userNameOf } from '../../users/user-order';
import { type IssueSortKey } from '../dto/issue-queries.dto';

/** The lowest display order among an issue's categories or versions. */
const firstDisplayOrderOf = (table: string, column: string, kind: 'category' | 'version'): string =>
  `(SELECT MIN(${displayOrderOf(kind, `l.${column}`)}) FROM ${table} l WHERE l.issue_id = i.id)`;

/** The expressions by which issues `i` are sorted. `NULL` is less than anything on every engine. */
export const SORT_EXPRESSIONS: Readonly<Record<IssueSortKey, string>> = {
  issueType: displayOrderOf('issue_type', 'i.issue_type_id'),
  category: firstDisplayOrderOf('issue_category', 'category_id', 'category'),
  version: firstDisplayOrderOf('issue_version', 'version_id', 'version'),
  milestone: firstDisplayOrderOf('issue_milestone', 'version_id', 'version'),
  summary: 'i.summary',
  status: displayOrderOf('issue_status', 'i.status_id'),
  priority: 'i.priority_id',
  attachment: '(SELECT COUNT(*) FROM issue_attachment f WHERE f.issue_id = i.id)',
  // There are no shared files, so all issues are equal and the id decides.
  sharedFile: 'i.id',
  created: 'i.created',
  createdUser: userNameOf('i.created_user_id'),
  updated: 'i.updated',
  updatedUser: userNameOf('i.updated_user_id'),
  assignee: userNameOf('i.assignee_id'),
  startDate: 'i.start_date',
  dueDate: 'i.due_date',
  estimatedHours: 'i.estimated_hours',
  actualHours: 'i.actual_hours',
  childIssue: '(SELECT COUNT(*) FROM issue k WHERE k.parent_issue_id = i.id)',
};
