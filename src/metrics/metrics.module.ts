import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { DatabaseFiguresService } from './database-figures.service';
import { MetricsEndpointService } from './metrics-endpoint.service';
import { MetricsService } from './metrics.service';

/** Metrics for Prometheus; loaded only when enabled (`docs/decisions/0034-monitoring.md`). */
@Module({
  imports: [MailModule, WebhooksModule],
  providers: [DatabaseFiguresService, MetricsService, MetricsEndpointService],
})
export class MetricsModule {}
