import {
  type ActivityChange,
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

/** An issue type in activities. */
export interface ActivityIssueType extends Named {
  projectId: number;
  color: string;
  displayOrder: number;
}

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

export interface IssueContent extends IssueHead {
  issueType: ActivityIssueType;
  status: Named;
  priority: Named;
  resolution: Named | NoValue;
  assignee: ActivityUser | null;
  category: Named[];
  versions: Named[];
  milestone: Named[];
  customFields: ActivityCustomField[];
  parentIssueId: number | null;
  /** `yyyy-MM-dd` or `''`, like `dueDate`. */
  startDate: string;
  dueDate: string;
  estimatedHours: number | null;
  actualHours: number | null;
}

export interface IssueChangeContent extends IssueHead {
  comment: ActivityComment | null;
  changes: ActivityChange[];
  attachments: FileContent[];
  shared_files: SharedFileContent[];
  external_file_links: never[];
}

const issue: IssueHead = { id: 1, key_id: 1, summary: 'Sample issue', description: 'Its description' };
const created: IssueContent = {
  ...issue,
  issueType: { id: 1, projectId: 1, name: 'Task', color: '#7ea800', displayOrder: 0 },
  status: { id: 1, name: 'Open' },
  priority: { id: 3, name: 'Normal' },
  resolution: NO_VALUE,
  assignee: null,
  category: [],
  versions: [],
  milestone: [],
  customFields: [],
  parentIssueId: null,
  startDate: '',
  dueDate: '',
  estimatedHours: null,
  actualHours: null,
};
const updated: IssueChangeContent = {
  ...issue,
  comment,
  changes: [statusChange],
  attachments: [],
  shared_files: [],
  external_file_links: [],
};
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
