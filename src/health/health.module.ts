import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/attachments.module';
import { HealthController } from './health.controller';

/** What a load balancer or an orchestrator asks. */
@Module({ imports: [AttachmentsModule], controllers: [HealthController] })
export class HealthModule {}
