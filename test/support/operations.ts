import { type Person, type ProjectFixture, pullRequestComments, type World } from './world';

/** What a path can name besides the project's own things. */
export interface Target {
  commentId: number;
  webhookId: number;
  deliveryId: number;
}

/** One of the service's operations, as tests that go through all of them call it. */
export interface OperationCase {
  /** Name of its handler. */
  name: string;
  method: 'GET' | 'POST' | 'PATCH';
  path: (project: ProjectFixture, target: Target) => string;
  /** A body that it takes from this person. */
  body?: (world: World, person: Person) => Promise<object> | object;
  /** Status of its success. */
  status: 200 | 201;
  /** The thread that a comment has to be in. */
  thread?: (project: ProjectFixture) => number;
}

const oneUpload = async (world: World, person: Person): Promise<{ attachmentId: number[] }> => ({
  attachmentId: [await world.addUpload(person)],
});

const webhook = ({ key }: ProjectFixture, { webhookId }: Target): string =>
  `/projects/${key}/webhooks/${webhookId}`;

/** The operations on what a project holds. */
export const PROJECT_OPERATIONS: OperationCase[] = [
  { name: 'listPullRequestComments', method: 'GET', path: pullRequestComments, status: 200 },
  {
    name: 'updatePullRequestComment',
    method: 'PATCH',
    path: (project, { commentId }) => `${pullRequestComments(project)}/${commentId}`,
    body: () => ({ content: 'Text' }),
    status: 200,
    thread: (project) => project.pullRequestThreadId,
  },
  {
    name: 'addIssueComment',
    method: 'POST',
    path: ({ issueKey }) => `/issues/${issueKey}/comments`,
    body: () => ({ content: 'Text' }),
    status: 201,
  },
  {
    name: 'addIssueCommentNotifications',
    method: 'POST',
    path: ({ issueKey }, { commentId }) => `/issues/${issueKey}/comments/${commentId}/notifications`,
    body: ({ admin }) => ({ notifiedUserId: [admin.id] }),
    status: 200,
    thread: (project) => project.issueThreadId,
  },
  {
    name: 'addIssueType',
    method: 'POST',
    path: ({ key }) => `/projects/${key}/issueTypes`,
    body: (_world, { id }) => ({ name: `Type of ${id}`, color: '#123456' }),
    status: 201,
  },
  {
    name: 'addStatus',
    method: 'POST',
    path: ({ key }) => `/projects/${key}/statuses`,
    body: (_world, { id }) => ({ name: `Status of ${id}`, color: '#123456' }),
    status: 201,
  },
  {
    name: 'attachFilesToWiki',
    method: 'POST',
    path: ({ wikiId }) => `/wikis/${wikiId}/attachments`,
    body: oneUpload,
    status: 200,
  },
  {
    name: 'addWebhook',
    method: 'POST',
    path: ({ key }) => `/projects/${key}/webhooks`,
    body: () => ({ name: 'Chat', hookUrl: 'https://example.com/' }),
    status: 201,
  },
  {
    name: 'getWebhookSecret',
    method: 'GET',
    path: (project, target) => `${webhook(project, target)}/secret`,
    status: 200,
  },
  {
    name: 'rotateWebhookSecret',
    method: 'POST',
    path: (project, target) => `${webhook(project, target)}/secret/rotate`,
    status: 200,
  },
  {
    name: 'testWebhook',
    method: 'POST',
    path: (project, target) => `${webhook(project, target)}/test`,
    body: () => ({ activityTypeId: 1 }),
    status: 201,
  },
  {
    name: 'enableWebhook',
    method: 'POST',
    path: (project, target) => `${webhook(project, target)}/enable`,
    status: 200,
  },
  {
    name: 'listWebhookDeliveries',
    method: 'GET',
    path: (project, target) => `${webhook(project, target)}/deliveries`,
    status: 200,
  },
  {
    name: 'redeliverWebhookDeliveries',
    method: 'POST',
    path: (project, target) => `${webhook(project, target)}/deliveries/redeliver`,
    body: () => ({ since: '2020-01-01T00:00:00Z' }),
    status: 200,
  },
  {
    name: 'getWebhookDelivery',
    method: 'GET',
    path: (project, target) => `${webhook(project, target)}/deliveries/${target.deliveryId}`,
    status: 200,
  },
  {
    name: 'redeliverWebhookDelivery',
    method: 'POST',
    path: (project, target) => `${webhook(project, target)}/deliveries/${target.deliveryId}/redeliver`,
    status: 200,
  },
];
