import { type Manifest } from '../manifest';
import { NotificationReason } from '../notifications/notification-reason';
import { idParameter } from '../openapi/path-parameters';
import { PULL_REQUEST_FILES } from './attachments/pull-request-files';
import { PullRequestAttachment } from './entities/pull-request-attachment.entity';
import { PullRequest } from './entities/pull-request.entity';
import { pullRequestActivities } from './pull-request-activities';

export const pullRequestsManifest = {
  entities: [PullRequest, PullRequestAttachment],
  diskUsage: { pullRequest: PULL_REQUEST_FILES },
  developerActivities: pullRequestActivities,
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
} satisfies Manifest;
