import { Module } from '@nestjs/common';
import { ActivitiesModule } from '../activities/activities.module';
import { NotificationsModule } from '../notifications/notifications.module';
import { AuditLogModule } from '../audit-log/audit-log.module';
import { ProjectsModule } from '../projects/projects.module';
import { UsersModule } from '../users/users.module';
import { WebhookRepository } from './data/webhook.repository';
import { WebhookSecretRepository } from './data/webhook-secret.repository';
import { AddressGuard } from './delivery/address-guard';
import { AttemptWriter } from './delivery/attempt-writer';
import { BacklogRepository } from './delivery/data/backlog.repository';
import { DeliveryRepository } from './delivery/data/delivery.repository';
import { DeliveryAttemptRepository } from './delivery/data/delivery-attempt.repository';
import { DeliveryLeaseRepository } from './delivery/data/delivery-lease.repository';
import { EndpointRepository } from './delivery/data/endpoint.repository';
import { WebhookEventRepository } from './delivery/data/webhook-event.repository';
import { WebhookHealthRepository } from './delivery/data/webhook-health.repository';
import { DeliveriesController } from './delivery/deliveries.controller';
import { DeliveriesService } from './delivery/deliveries.service';
import { DeliveryBacklogService } from './delivery/delivery-backlog.service';
import { DeliveryQueue } from './delivery/delivery-queue';
import { DeliverySender } from './delivery/delivery-sender';
import { DeliveryRetentionService } from './delivery/delivery-retention.service';
import { DeliveryLoader } from './delivery/delivery.loader';
import { DispatcherService } from './delivery/dispatcher.service';
import { EndpointHealthService } from './delivery/endpoint-health.service';
import { OutboxService } from './delivery/outbox.service';
import { WebhookRemovalService } from './delivery/webhook-removal.service';
import { WakeChannel } from './delivery/wake-channel';
import { WebhookSecretsService } from './delivery/webhook-secrets.service';
import { WebhookSender } from './delivery/webhook-sender';
import { WebhookSettings } from './delivery/webhook-settings';
import { WebhookLoader } from './webhook.loader';
import { WebhooksController } from './webhooks.controller';
import { WebhooksService } from './webhooks.service';

/** Webhooks of projects and the delivery of events to them (`docs/delivery.md`). */
@Module({
  imports: [AuditLogModule, ProjectsModule, UsersModule, ActivitiesModule, NotificationsModule],
  controllers: [WebhooksController, DeliveriesController],
  providers: [
    WebhookRepository,
    WebhookSecretRepository,
    WebhookEventRepository,
    WebhookHealthRepository,
    EndpointRepository,
    DeliveryRepository,
    DeliveryAttemptRepository,
    DeliveryLeaseRepository,
    BacklogRepository,
    WebhooksService,
    WebhookLoader,
    WebhookSettings,
    WebhookSecretsService,
    WebhookSender,
    DeliverySender,
    OutboxService,
    DeliveryQueue,
    DispatcherService,
    AttemptWriter,
    WakeChannel,
    EndpointHealthService,
    DeliveriesService,
    DeliveryLoader,
    DeliveryRetentionService,
    DeliveryBacklogService,
    WebhookRemovalService,
    {
      provide: AddressGuard,
      inject: [WebhookSettings],
      useFactory: (settings: WebhookSettings) => new AddressGuard(settings.allow),
    },
  ],
  exports: [WebhooksService, DeliveryBacklogService],
})
export class WebhooksModule {}
