import {
  type ActivityChange,
  type ActivityComment,
  type ActivityUser,
  type IssueHead,
} from '../activities/activity-content';
import { ActivityType } from '../activities/activity-type';
import { comment, repository, statusChange } from '../activities/sample-values';
import { type IdPlaces, type Manifest } from '../manifest';
import { NotificationReason } from '../notifications/notification-reason';
import { idParameter } from '../openapi/path-parameters';
import { PULL_REQUEST_FILES } from './attachments/pull-request-files';
import { PullRequestAttachment } from './entities/pull-request-attachment.entity';
import { PullRequest } from './entities/pull-request.entity';

const commented = {
  id: 1,
  number: 1,
  summary: 'Sample pull request',
  description: '',
  base: 'main',
  branch: 'sample',
  diff: null,
  comment: comment as ActivityComment | null,
  changes: [] as ActivityChange[],
  issue: null as IssueHead | null,
  assignee: null as ActivityUser | null,
  repository,
};

export type PullRequestContent = typeof commented;

const ids: IdPlaces = {
  id: 'pullRequest',
  'comment.id': 'comment',
  'changes[field=issue].new_value': 'issue',
  'changes[field=issue].old_value': 'issue',
  'changes[field=assignee].new_value': 'user',
  'changes[field=assignee].old_value': 'user',
  'issue.id': 'issue',
  'assignee.id': 'user',
  'repository.id': 'gitRepository',
};

export const pullRequestsManifest = {
  entities: [PullRequest, PullRequestAttachment],
  diskUsage: { pullRequest: PULL_REQUEST_FILES },
  developerActivities: {
    [ActivityType.PullRequestCreated]: { ...commented, comment: null },
    [ActivityType.PullRequestUpdated]: { ...commented, changes: [statusChange] },
    [ActivityType.PullRequestCommented]: commented,
    [ActivityType.PullRequestDeleted]: { ...commented, comment: null },
  },
  activityIds: {
    [ActivityType.PullRequestCreated]: ids,
    [ActivityType.PullRequestUpdated]: ids,
    [ActivityType.PullRequestCommented]: ids,
    [ActivityType.PullRequestDeleted]: ids,
  },
  developerReasons: [
    NotificationReason.PullRequestAssigned,
    NotificationReason.PullRequestCommented,
    NotificationReason.PullRequestAdded,
    NotificationReason.PullRequestUpdated,
  ],
  tags: { 'Pull requests': 'Pull requests of git repositories, with their comments and files.' },
  pathParameters: {
    number: { ...idParameter('pull request'), description: 'Number of the pull request.' },
  },
  archived: {
    pullRequest: { by: ['projectId'], texts: ['description'] },
    pullRequestAttachment: { by: ['pullRequestId'], within: 'pullRequest' },
  },
} satisfies Manifest;
