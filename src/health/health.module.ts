import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/attachments.module';
import { HealthController } from './health.controller';
import { NewerSchemaService } from './newer-schema.service';

/** Health checks for load balancers and orchestrators. */
@Module({ imports: [AttachmentsModule], controllers: [HealthController], providers: [NewerSchemaService] })
export class HealthModule {}
