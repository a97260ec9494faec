import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/attachments.module';
import { HealthController } from './health.controller';

/** Health checks for load balancers and orchestrators. */
@Module({ imports: [AttachmentsModule], controllers: [HealthController] })
export class HealthModule {}
