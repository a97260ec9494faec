import { Injectable } from '@nestjs/common';
import { Dispatcher } from '../../deliveries/dispatcher';
import { WakeChannel } from '../../deliveries/wake-channel';
import { EndpointRepository } from '../data/endpoint.repository';
import { type ClaimedDelivery, type DueEndpoint } from './delivery';
import { DeliveryQueue } from './delivery-queue';
import { DeliverySender } from './delivery-sender';
import { type AttemptResult } from './webhook-sender';
import { WebhookSettings } from './webhook-settings';

/**
 * How long finished attempts are collected before they are written, in milliseconds. A write to the embedded database completes
 * before the next response is processed: without the pause, each delivery would need its own transaction and flush.
 */
const GATHER_MS = 10;

/** Maximum number of deliveries held for one webhook, as a multiple of its concurrent attempts. */
const PREFETCH = 8;

/** Sends due deliveries to webhooks. */
@Injectable()
export class DispatcherService extends Dispatcher<DueEndpoint, ClaimedDelivery, AttemptResult> {
  constructor(
    private readonly endpoints: EndpointRepository,
    queue: DeliveryQueue,
    private readonly sender: DeliverySender,
    settings: WebhookSettings,
    others: WakeChannel,
  ) {
    super(queue, settingsOf(settings), others);
  }

  protected override idOf({ webhookId }: DueEndpoint | ClaimedDelivery): number {
    return webhookId;
  }

  protected override findDue(
    ...of: Parameters<EndpointRepository['findDue']>
  ): ReturnType<EndpointRepository['findDue']> {
    return this.endpoints.findDue(...of);
  }

  /** Returns webhooks with their current addresses, without those that have been deleted with or without their project. */
  protected override async findCurrent(endpoints: readonly DueEndpoint[]): Promise<DueEndpoint[]> {
    const targets = await this.endpoints.findTargets(endpoints.map(({ webhookId }) => webhookId));
    const byId = new Map(targets.map((target) => [target.webhookId, target]));
    return endpoints.flatMap((endpoint) => {
      const target = byId.get(endpoint.webhookId);
      return target ? [{ ...endpoint, ...target }] : [];
    });
  }

  protected override attempt(...of: Parameters<DeliverySender['send']>): Promise<AttemptResult> {
    return this.sender.send(...of);
  }
}

const settingsOf = (settings: WebhookSettings): ConstructorParameters<typeof Dispatcher>[1] => ({
  ...settings,
  targetConcurrency: settings.endpointConcurrency,
  firstAllowance: 1,
  prefetch: PREFETCH,
  gather: GATHER_MS,
});
