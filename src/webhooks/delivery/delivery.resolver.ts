import { childOf } from '../../projects/project-resource';
import { WebhookResolver, type WebhookSubject } from '../webhook.resolver';
import { DELIVERY_TABLES, visibleDeliveries } from './delivery-rights';

/** A delivery that the path names, and the webhook it belongs to. */
export interface DeliverySubject extends WebhookSubject {
  deliveryId: number;
}

/** Finds the delivery of `…/webhooks/{webhookId}/deliveries/{deliveryId}`. */
export const DeliveryResolver = childOf<WebhookSubject, DeliverySubject>(
  WebhookResolver,
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
