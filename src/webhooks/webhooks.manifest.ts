import { limitPerProject } from '../limits/count-limit';
import { type Manifest } from '../manifest';
import { idParameter } from '../openapi/path-parameters';
import { WebhookDeliveryAttempt } from './entities/webhook-delivery-attempt.entity';
import { WebhookDelivery } from './entities/webhook-delivery.entity';
import { WebhookEvent } from './entities/webhook-event.entity';
import { WebhookHealth } from './entities/webhook-health.entity';
import { Webhook } from './entities/webhook.entity';

export const webhooksManifest = {
  entities: [Webhook],
  disposable: [WebhookDelivery, WebhookDeliveryAttempt, WebhookEvent, WebhookHealth],
  counters: {
    webhook: { table: 'webhook', condition: 'deleted = 0', ...limitPerProject('MAX_WEBHOOKS', 'webhooks') },
  },
  tags: {
    Webhooks: 'URLs to which the events of a project are sent.',
    'Webhook deliveries': 'Deliveries to webhooks, their redelivery, and the secrets that sign them.',
  },
  pathParameters: { webhookId: idParameter('webhook'), deliveryId: idParameter('delivery') },
  archived: {
    webhook: {
      by: ['projectId'],
      only: { deleted: false },
      without: ['secret', 'previousSecrets'],
      reduced: { hookUrl: 'origin' },
    },
    webhookHealth: {
      by: ['webhookId'],
      within: 'webhook',
      without: ['failures', 'failingSince', 'pausedUntil', 'pauses', 'reason'],
    },
  },
} satisfies Manifest;
