import {
  type ActivityComment,
  type ActivityUser,
  type FileContent,
  type IssueHead,
  type Named,
  NO_VALUE,
  type NoValue,
  type SharedFileContent,
} from '../activities/activity-content';
import { ActivityType } from '../activities/activity-type';
import { comment, link, statusChange } from '../activities/sample-values';
import { INITIAL_STATE, valuesOf } from './issue-fields';

/** An item of a custom field in activities. */
interface ActivityItem extends Named {
  displayOrder: number;
}

/** The value of a custom field in activities. */
export interface ActivityCustomField extends Named {
  fieldTypeId: number;
  value: string | number | ActivityItem | ActivityItem[] | null;
  otherValue?: string | null;
}

const issue: IssueHead = { id: 1, key_id: 1, summary: 'Sample issue', description: 'Its description' };
const created = {
  ...issue,
  issueType: { id: 1, projectId: 1, name: 'Task', color: '#7ea800', displayOrder: 0 },
  status: { id: 1, name: 'Open' },
  priority: { id: 3, name: 'Normal' },
  resolution: NO_VALUE as Named | NoValue,
  assignee: null as ActivityUser | null,
  category: [] as Named[],
  versions: [] as Named[],
  milestone: [] as Named[],
  customFields: [] as ActivityCustomField[],
  parentIssueId: null as number | null,
  ...valuesOf(INITIAL_STATE, () => ''),
};
const updated = {
  ...issue,
  comment: comment as ActivityComment | null,
  changes: [statusChange],
  attachments: [] as FileContent[],
  shared_files: [] as SharedFileContent[],
  external_file_links: [] as never[],
};

export type IssueContent = typeof created;
export type ActivityIssueType = IssueContent['issueType'];
export type IssueChangeContent = typeof updated;

const commented: IssueChangeContent = { ...updated, changes: [] };

/** Sample content of the activities of issues. */
export const issueActivities = {
  [ActivityType.IssueCreated]: created,
  [ActivityType.IssueUpdated]: updated,
  [ActivityType.IssueCommented]: commented,
  [ActivityType.IssueDeleted]: { id: issue.id, key_id: issue.key_id },
  [ActivityType.IssuesBulkUpdated]: {
    tx_id: 1,
    comment: { content: comment.content },
    link,
    changes: [statusChange],
  },
  [ActivityType.CommentNotificationAdded]: commented,
  [ActivityType.IssueDatesBulkUpdated]: { link, changes: [] },
  [ActivityType.IssuesBulkCreated]: { link },
};
