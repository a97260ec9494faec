import { childOfProject, type ProjectResource } from '../projects/project-resource';

/** The webhook named in the path. */
export type WebhookResource = ProjectResource;

/** Finds the webhook of `/projects/{projectIdOrKey}/webhooks/{webhookId}/…`. */
export const WebhookLoader = childOfProject<WebhookResource>({
  table: 'webhook',
  parameter: 'webhookId',
  what: 'webhook',
  where: 't.deleted = 0',
});
