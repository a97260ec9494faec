import { limitFromSetting } from '../limits/count-limit';
import { type Manifest } from '../manifest';
import { idParameter, textParameter } from '../openapi/path-parameters';
import { ISSUE_FILES } from './attachments/issue-files';
import { IssueAttachment } from './entities/issue-attachment.entity';
import { IssueCategory } from './entities/issue-category.entity';
import { IssueCommit } from './entities/issue-commit.entity';
import { IssueCustomFieldItem } from './entities/issue-custom-field-item.entity';
import { IssueCustomField } from './entities/issue-custom-field.entity';
import { IssueMilestone } from './entities/issue-milestone.entity';
import { IssueSharedFile } from './entities/issue-shared-file.entity';
import { IssueVersion } from './entities/issue-version.entity';
import { Issue } from './entities/issue.entity';
import { RelatedIssue } from './entities/related-issue.entity';
import { Watching } from './entities/watching.entity';
import { issueActivities, issueActivityIds } from './issue-activity-samples';

export const issuesManifest = {
  entities: [Issue, IssueAttachment, IssueCustomField],
  disposable: [
    IssueCategory,
    IssueCommit,
    IssueCustomFieldItem,
    IssueMilestone,
    IssueSharedFile,
    IssueVersion,
    RelatedIssue,
    Watching,
  ],
  counters: {
    /** The maximum value of the column of their numbers. */
    issue: {
      table: 'issue',
      number: 'key_id',
      fixed: 2 ** 31 - 1,
      message: (most) => `A project can have at most ${most} issues.`,
    },
  },
  countLimits: {
    watching: limitFromSetting('MAX_WATCHINGS', (most) => `A user can watch at most ${most} issues.`),
    watcher: limitFromSetting('MAX_WATCHERS', (most) => `At most ${most} users can watch an issue.`),
    relatedIssue: limitFromSetting(
      'MAX_RELATED_ISSUES',
      (most) => `An issue can have at most ${most} related issues.`,
    ),
  },
  diskUsage: { issue: ISSUE_FILES },
  activities: issueActivities,
  activityIds: issueActivityIds,
  tags: { Issues: 'Issues: search, parents and children, comments, files and participants.' },
  pathParameters: {
    issueIdOrKey: textParameter('issue', 'Id or key', 'DEMO-1'),
    watchingId: idParameter('watching'),
    targetIssueId: idParameter('related issue'),
  },
  archived: {
    issue: { by: ['projectId'], texts: ['description'] },
    issueCategory: { by: ['issueId'], within: 'issue' },
    issueVersion: { by: ['issueId'], within: 'issue' },
    issueMilestone: { by: ['issueId'], within: 'issue' },
    issueAttachment: { by: ['issueId'], within: 'issue' },
    issueSharedFile: { by: ['issueId'], within: 'issue' },
    issueCustomField: { by: ['issueId'], within: 'issue' },
    issueCustomFieldItem: { by: ['issueId'], within: 'issue' },
    issueCommit: {
      by: ['issueId'],
      within: 'issue',
      only: { pendingSince: null, comment: '' },
      refersTo: { agentKeyId: 'agent' },
    },
    relatedIssue: { by: ['firstIssueId', 'secondIssueId'], within: 'issue' },
    watching: { by: ['issueId'], within: 'issue', refersTo: { projectId: 'project' } },
  },
} satisfies Manifest;
