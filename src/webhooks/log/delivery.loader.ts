import { Inject, Injectable } from '@nestjs/common';
import { type PathParameters, type ResourceLoader } from '../../access/access';
import { type Caller } from '../../access/caller';
import { NoResourceError } from '../../errors/domain-errors';
import { parseId } from '../../http/request/path-id';
import { WebhookLoader, type WebhookResource } from '../webhook.loader';
import { DeliveryRepository } from '../data/delivery.repository';

/** The delivery named in the path, and its webhook. */
export interface DeliveryResource extends WebhookResource {
  deliveryId: number;
}

/** Finds the delivery of `…/webhooks/{webhookId}/deliveries/{deliveryId}`. */
@Injectable()
export class DeliveryLoader implements ResourceLoader<DeliveryResource> {
  constructor(
    @Inject(WebhookLoader) private readonly webhooks: ResourceLoader<WebhookResource>,
    private readonly deliveries: DeliveryRepository,
  ) {}

  async load(parameters: PathParameters, caller: Caller): Promise<DeliveryResource> {
    const webhook = await this.webhooks.load(parameters, caller);
    const deliveryId = parseId(parameters.deliveryId);
    if (deliveryId === undefined || !(await this.deliveries.isVisible(webhook, caller, deliveryId))) {
      throw new NoResourceError('delivery');
    }
    return { ...webhook, deliveryId };
  }
}
