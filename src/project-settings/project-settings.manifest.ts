import { inProject } from '../limits/count-limit';
import { type Manifest } from '../manifest';
import { idParameter } from '../openapi/path-parameters';
import { Category } from './entities/category.entity';
import { IssueStatus } from './entities/issue-status.entity';
import { IssueType } from './entities/issue-type.entity';
import { Version } from './entities/version.entity';
import { settingActivities } from './setting-activities';

export const projectSettingsManifest = {
  entities: [Category, IssueStatus, IssueType, Version],
  counters: {
    issueType: { table: 'issue_type', ...inProject('MAX_ISSUE_TYPES', 'issue types') },
    status: { table: 'issue_status', ...inProject('MAX_STATUSES', 'statuses') },
    category: { table: 'category', ...inProject('MAX_CATEGORIES', 'categories') },
    version: { table: 'version', ...inProject('MAX_VERSIONS', 'versions') },
  },
  activities: settingActivities,
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
} satisfies Manifest;
