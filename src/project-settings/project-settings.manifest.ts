import { type ActivityChange } from '../activities/activity-content';
import { ActivityType } from '../activities/activity-type';
import { link, statusChange } from '../activities/sample-values';
import { limitPerProject } from '../limits/count-limit';
import { type Manifest, PLACED_BY_NUMBER } from '../manifest';
import { idParameter } from '../openapi/path-parameters';
import { Category } from './entities/category.entity';
import { IssueStatus } from './entities/issue-status.entity';
import { IssueType } from './entities/issue-type.entity';
import { Version } from './entities/version.entity';

const milestone = {
  id: 1,
  name: 'Version 1',
  description: '',
  start_date: '2026-01-01',
  reference_date: '2026-01-31',
};

/** A version in activities. */
export type VersionContent = typeof milestone;

export const projectSettingsManifest = {
  entities: [Category, IssueStatus, IssueType, Version],
  counters: {
    issueType: {
      table: 'issue_type',
      ...PLACED_BY_NUMBER,
      ...limitPerProject('MAX_ISSUE_TYPES', 'issue types'),
    },
    status: { table: 'issue_status', ...limitPerProject('MAX_STATUSES', 'statuses') },
    category: { table: 'category', ...PLACED_BY_NUMBER, ...limitPerProject('MAX_CATEGORIES', 'categories') },
    version: { table: 'version', ...PLACED_BY_NUMBER, ...limitPerProject('MAX_VERSIONS', 'versions') },
  },
  activities: {
    [ActivityType.MilestoneCreated]: milestone,
    [ActivityType.MilestoneUpdated]: { ...milestone, changes: [] as ActivityChange[] },
    [ActivityType.MilestoneDeleted]: milestone,
    [ActivityType.StatusDeleted]: { deletedStatus: { name: 'Sample status' }, link, change: statusChange },
  },
  activityIds: {
    [ActivityType.MilestoneCreated]: { id: 'version' },
    [ActivityType.MilestoneUpdated]: { id: 'version' },
    [ActivityType.MilestoneDeleted]: { id: 'version' },
    [ActivityType.StatusDeleted]: {
      'link[].id': 'issue',
      'change.new_value': 'issueStatus.wire',
      'change.old_value': 'issueStatus.wire',
    },
  },
  tags: {
    'Project settings':
      'Issue types, statuses, categories, versions and custom fields of projects; the priorities and resolutions of all projects.',
  },
  pathParameters: {
    issueTypeId: idParameter('issue type'),
    statusId: idParameter('status'),
    categoryId: idParameter('category'),
    versionId: idParameter('version'),
  },
  archived: {
    issueType: { by: ['projectId'] },
    issueStatus: { by: ['projectId'] },
    category: { by: ['projectId'] },
    version: { by: ['projectId'] },
  },
} satisfies Manifest;
