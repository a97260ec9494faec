import { Module } from '@nestjs/common';
import { DeliverySettings } from './delivery-settings';
import { WakeChannel } from './wake-channel';

/** What webhooks and mail share: queues with leases, retries, circuits, and the channel on which processes wake each other. */
@Module({
  providers: [DeliverySettings, WakeChannel],
  exports: [WakeChannel],
})
export class DeliveriesModule {}
