import { Module } from '@nestjs/common';
import { ActivitiesModule } from '../activities/activities.module';
import { NotificationsModule } from '../notifications/notifications.module';
import { AuditLogModule } from '../audit-log/audit-log.module';
import { DeliveriesModule } from '../deliveries/deliveries.module';
import { ProjectsModule } from '../projects/projects.module';
import { UsersModule } from '../users/users.module';
import { WebhookRepository } from './data/webhook.repository';
import { WebhookSecretRepository } from './data/webhook-secret.repository';
import { AddressGuard } from '../outgoing/address-guard';
import { BacklogRepository } from './data/backlog.repository';
import { DeliveryRepository } from './data/delivery.repository';
import { DeliveryAttemptRepository } from './data/delivery-attempt.repository';
import { DeliveryLeaseRepository } from './data/delivery-lease.repository';
import { EndpointRepository } from './data/endpoint.repository';
import { WebhookEventRepository } from './data/webhook-event.repository';
import { WebhookHealthRepository } from './data/webhook-health.repository';
import { DeliveriesController } from './log/deliveries.controller';
import { DeliveriesService } from './log/deliveries.service';
import { DeliveryBacklogService } from './log/delivery-backlog.service';
import { DeliveryQueue } from './sending/delivery-queue';
import { DeliverySender } from './sending/delivery-sender';
import { DeliveryRetentionService } from './log/delivery-retention.service';
import { DeliveryLoader } from './log/delivery.loader';
import { DispatcherService } from './sending/dispatcher.service';
import { EndpointHealthService } from './sending/endpoint-health.service';
import { OutboxService } from './outbox/outbox.service';
import { WebhookRemovalService } from './webhook-removal.service';
import { WebhookSecretsService } from './secrets/webhook-secrets.service';
import { WebhookSender } from './sending/webhook-sender';
import { WebhookSettings } from './sending/webhook-settings';
import { WebhookLoader } from './webhook.loader';
import { WebhooksController } from './webhooks.controller';
import { WebhooksService } from './webhooks.service';

/** Webhooks of projects and the delivery of events to them (`docs/delivery.md`). */
@Module({
  imports: [
    DeliveriesModule,
    AuditLogModule,
    ProjectsModule,
    UsersModule,
    ActivitiesModule,
    NotificationsModule,
  ],
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
    EndpointHealthService,
    DeliveriesService,
    DeliveryLoader,
    DeliveryRetentionService,
    DeliveryBacklogService,
    WebhookRemovalService,
    {
      provide: AddressGuard,
      inject: [WebhookSettings],
      useFactory: (settings: WebhookSettings) => new AddressGuard('WEBHOOK_ALLOW', settings.allow),
    },
  ],
  exports: [WebhooksService, DeliveryBacklogService],
})
export class WebhooksModule {}
