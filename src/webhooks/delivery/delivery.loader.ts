import { childOf } from '../../projects/project-resource';
import { WebhookLoader, type WebhookResource } from '../webhook.loader';
import { DELIVERY_TABLES, visibleDeliveries } from './delivery-rights';

/** A delivery that the path names, and the webhook it belongs to. */
export interface DeliveryResource extends WebhookResource {
  deliveryId: number;
}

/** Finds the delivery of `…/webhooks/{webhookId}/deliveries/{deliveryId}`. */
export const DeliveryLoader = childOf<WebhookResource, DeliveryResource>(
  WebhookLoader,
  { parameter: 'deliveryId', what: 'delivery' },
  async (dataSource, webhook, deliveryId, caller) => {
    const conditions = visibleDeliveries(webhook, caller).add('d.id = ?', deliveryId);
    const rows = await dataSource.query<unknown[]>(
      `SELECT d.id FROM ${DELIVERY_TABLES} ${conditions.where}`,
      conditions.parameters,
    );
    return rows.length > 0 ? { ...webhook, deliveryId } : undefined;
  },
);
