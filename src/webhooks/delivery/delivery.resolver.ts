import { childOf } from '../../projects/project-resource';
import { WebhookResolver, type WebhookSubject } from '../webhook.resolver';

/** A delivery that the path names, and the webhook it belongs to. */
export interface DeliverySubject extends WebhookSubject {
  deliveryId: number;
}

/** Finds the delivery of `…/webhooks/{webhookId}/deliveries/{deliveryId}`. */
export const DeliveryResolver = childOf<WebhookSubject, DeliverySubject>(
  WebhookResolver,
  { parameter: 'deliveryId', what: 'delivery' },
  async (dataSource, webhook, deliveryId) => {
    const rows = await dataSource.query<unknown[]>(
      'SELECT id FROM webhook_delivery WHERE id = ? AND webhook_id = ?',
      [deliveryId, webhook.id],
    );
    return rows.length > 0 ? { ...webhook, deliveryId } : undefined;
  },
);
