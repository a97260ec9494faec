import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type PathParameters, type ResourceResolver } from '../../access/access';
import { NoResourceError } from '../../errors/domain-errors';
import { parseId } from '../../http/path-id';
import { type Caller } from '../../users/caller';
import { WebhookResolver, type WebhookSubject } from '../webhook.resolver';

/** A delivery that the path names, and the webhook it belongs to. */
export interface DeliverySubject extends WebhookSubject {
  deliveryId: number;
}

/** Finds the delivery of `…/webhooks/{webhookId}/deliveries/{deliveryId}`. */
@Injectable()
export class DeliveryResolver implements ResourceResolver<DeliverySubject> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly webhooks: WebhookResolver,
  ) {}

  async resolve(parameters: PathParameters, caller: Caller): Promise<DeliverySubject> {
    const webhook = await this.webhooks.resolve(parameters, caller);
    const deliveryId = parseId(parameters.deliveryId);
    const rows =
      deliveryId === undefined
        ? []
        : await this.dataSource.query<unknown[]>(
            'SELECT id FROM webhook_delivery WHERE id = ? AND webhook_id = ?',
            [deliveryId, webhook.id],
          );
    if (deliveryId === undefined || rows.length === 0) throw new NoResourceError('delivery');
    return { ...webhook, deliveryId };
  }
}
