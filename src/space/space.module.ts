import { Module } from '@nestjs/common';
import { AuditLogModule } from '../audit-log/audit-log.module';
import { SpaceRepository } from './data/space.repository';
import { LicenceController } from './licence.controller';
import { LicenceService } from './licence.service';
import { RateLimitController } from './rate-limit.controller';
import { SpaceNotificationController } from './space-notification.controller';
import { SpaceNotificationService } from './space-notification.service';
import { SpaceController } from './space.controller';
import { SpaceService } from './space.service';

/** Module of the only space of the service. */
@Module({
  imports: [AuditLogModule],
  controllers: [SpaceController, SpaceNotificationController, LicenceController, RateLimitController],
  providers: [SpaceService, SpaceNotificationService, LicenceService, SpaceRepository],
  exports: [SpaceService],
})
export class SpaceModule {}
