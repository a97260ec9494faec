import { type ActivityContents, NO_VALUE } from '../../activities/activity-content';
import { ActivityType } from '../../activities/activity-type';
import { RoleType } from '../../access/role-type';
import { INITIAL_STATE, valuesOf } from '../../issues/issue-fields';

const named = (name: string) => ({ id: 1, name });

const issue = { id: 1, key_id: 1, summary: 'Sample issue', description: 'Its description' };
const comment = { id: 1, content: 'A sample comment' };
const statusChange = { field: 'status', new_value: '2', old_value: '1', type: 'standard' } as const;
const wiki = { id: 1, name: 'Home', content: 'Its content', diff: '', attachments: [], shared_files: [] };
const file = { id: 1, dir: '/', name: 'sample.txt', size: 1024 };
const repository = { id: 1, name: 'sample', description: '' };
const milestone = {
  id: 1,
  name: 'Version 1',
  description: '',
  start_date: '2026-01-01',
  reference_date: '2026-01-31',
};
const user = {
  id: 1,
  userId: 'sample',
  name: 'Sample user',
  roleType: RoleType.NormalUser,
  lang: 'en',
  mailAddress: 'sample@example.com',
};
const document = { id: '0123456789abcdef0123456789abcdef', title: 'Sample document' };
const link = [{ id: 1, key_id: 1, title: issue.summary, comment: null }];

const issueUpdate = {
  ...issue,
  comment,
  changes: [statusChange],
  attachments: [],
  shared_files: [],
  external_file_links: [],
};
const pullRequest = {
  id: 1,
  number: 1,
  summary: 'Sample pull request',
  description: '',
  base: 'main',
  branch: 'sample',
  diff: null,
  comment,
  changes: [],
  issue: null,
  assignee: null,
  repository,
};
const documentComment = {
  ...document,
  comment: { id: 'fedcba9876543210fedcba9876543210', content: comment.content },
};

/** Test content of each activity type, with the fields of the family's payloads. */
const SAMPLES: Readonly<ActivityContents & Record<ActivityType, object>> = {
  [ActivityType.IssueCreated]: {
    ...issue,
    issueType: { id: 1, projectId: 1, name: 'Task', color: '#7ea800', displayOrder: 0 },
    status: named('Open'),
    priority: { id: 3, name: 'Normal' },
    resolution: NO_VALUE,
    assignee: null,
    category: [],
    versions: [],
    milestone: [],
    customFields: [],
    parentIssueId: null,
    ...valuesOf(INITIAL_STATE, () => ''),
  },
  [ActivityType.IssueUpdated]: issueUpdate,
  [ActivityType.IssueCommented]: { ...issueUpdate, changes: [] },
  [ActivityType.IssueDeleted]: { id: issue.id, key_id: issue.key_id },
  [ActivityType.WikiCreated]: { ...wiki, version: 1 },
  [ActivityType.WikiUpdated]: { ...wiki, version: 2 },
  [ActivityType.WikiDeleted]: { ...wiki, version: 2 },
  [ActivityType.SharedFileAdded]: file,
  [ActivityType.SharedFileUpdated]: file,
  [ActivityType.SharedFileDeleted]: file,
  [ActivityType.SubversionCommitted]: { rev: 1, comment: 'A sample commit' },
  [ActivityType.GitPushed]: {
    repository,
    change_type: 'update',
    ref: 'refs/heads/main',
    revision_type: 'commit',
    revision_count: 1,
    revisions: [
      {
        rev: '0123456789abcdef0123456789abcdef01234567',
        comment: 'A sample commit',
        author: { name: user.name, mailAddress: user.mailAddress },
        created: '2026-01-01T00:00:00Z',
      },
    ],
  },
  [ActivityType.GitRepositoryCreated]: { repository },
  [ActivityType.IssuesBulkUpdated]: {
    tx_id: 1,
    comment: { content: comment.content },
    link,
    changes: [statusChange],
  },
  [ActivityType.UserJoinedProject]: {
    users: [user],
    group_project_activities: [],
    comment: '',
  },
  [ActivityType.UserLeftProject]: {
    users: [user],
    group_project_activities: [],
    comment: '',
  },
  [ActivityType.CommentNotificationAdded]: { ...issueUpdate, changes: [] },
  [ActivityType.PullRequestCreated]: { ...pullRequest, comment: null },
  [ActivityType.PullRequestUpdated]: { ...pullRequest, changes: [statusChange] },
  [ActivityType.PullRequestCommented]: pullRequest,
  [ActivityType.PullRequestDeleted]: { ...pullRequest, comment: null },
  [ActivityType.MilestoneCreated]: milestone,
  [ActivityType.MilestoneUpdated]: { ...milestone, changes: [] },
  [ActivityType.MilestoneDeleted]: milestone,
  [ActivityType.TeamJoinedProject]: { parties: [named('Sample team')] },
  [ActivityType.TeamLeftProject]: { parties: [named('Sample team')] },
  [ActivityType.StatusDeleted]: { deletedStatus: { name: 'Sample status' }, link, change: statusChange },
  [ActivityType.IssueDatesBulkUpdated]: { link, changes: [] },
  [ActivityType.DocumentCreated]: document,
  [ActivityType.DocumentDeleted]: document,
  [ActivityType.DocumentTitleUpdated]: document,
  [ActivityType.DocumentUpdated]: document,
  [ActivityType.DocumentCommentCreated]: documentComment,
  [ActivityType.DocumentCommentUpdated]: documentComment,
  [ActivityType.DocumentCommentDeleted]: documentComment,
  [ActivityType.DocumentReplyCreated]: documentComment,
  [ActivityType.DocumentReplyUpdated]: documentComment,
  [ActivityType.DocumentReplyDeleted]: documentComment,
  [ActivityType.DocumentAttachmentAdded]: {
    ...document,
    attachments: [{ id: file.id, name: file.name, size: file.size }],
  },
  [ActivityType.IssuesBulkCreated]: { link },
  [ActivityType.DocumentsBulkCreated]: { documents: [document] },
  [ActivityType.MentionedInDocument]: documentComment,
};

/** Returns the sample content of an activity type. */
export const sampleContent = (type: ActivityType): object => SAMPLES[type];
