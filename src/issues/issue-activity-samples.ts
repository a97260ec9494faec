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
import { type IdPlaces } from '../manifest';
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

const linked = { 'link[].id': 'issue' };
/** The changes that name their values by ids. */
const changes = Object.fromEntries(
  Object.entries({
    issueType: 'issueType',
    category: 'category',
    versions: 'version',
    milestone: 'version',
    status: 'issueStatus.wire',
    assigner: 'user',
    parentIssue: 'issue',
  }).flatMap(([field, kind]) => [
    [`changes[field=${field}].new_value`, kind],
    [`changes[field=${field}].old_value`, kind],
  ]),
) as IdPlaces;
const changed: IdPlaces = {
  id: 'issue',
  'comment.id': 'comment',
  ...changes,
  'attachments[].id': 'attachment',
  'shared_files[].id': 'sharedFile',
};

/** The ids in the content of the activities of issues. Values of custom fields are not told apart from texts. */
export const issueActivityIds = {
  [ActivityType.IssueCreated]: {
    id: 'issue',
    'issueType.id': 'issueType',
    'issueType.projectId': 'project',
    'status.id': 'issueStatus.wire',
    'assignee.id': 'user',
    'category[].id': 'category',
    'versions[].id': 'version',
    'milestone[].id': 'version',
    'customFields[].id': 'customField',
    'customFields[].value.id': 'customFieldItem',
    'customFields[].value[].id': 'customFieldItem',
    parentIssueId: 'issue',
  },
  [ActivityType.IssueUpdated]: changed,
  [ActivityType.IssueCommented]: changed,
  [ActivityType.IssueDeleted]: { id: 'issue' },
  [ActivityType.IssuesBulkUpdated]: { ...linked, ...changes },
  [ActivityType.CommentNotificationAdded]: changed,
  [ActivityType.IssueDatesBulkUpdated]: linked,
  [ActivityType.IssuesBulkCreated]: linked,
} satisfies Partial<Record<ActivityType, IdPlaces>>;
