import { Module } from '@nestjs/common';
import { AuditLogModule } from '../audit-log/audit-log.module';
import { SpaceRepository } from './data/space.repository';
import { UsedStorageRepository } from './data/used-storage.repository';
import { LicenceController } from './licence.controller';
import { LicenceService } from './licence.service';
import { RateLimitController } from './rate-limit.controller';
import { SpaceNotificationController } from './space-notification.controller';
import { SpaceNotificationService } from './space-notification.service';
import { SpaceController } from './space.controller';
import { SpaceService } from './space.service';
import { UsedStorageService } from './used-storage.service';

/** Module of the only space of the service. */
@Module({
  imports: [AuditLogModule],
  controllers: [SpaceController, SpaceNotificationController, LicenceController, RateLimitController],
  providers: [
    SpaceService,
    SpaceNotificationService,
    LicenceService,
    UsedStorageService,
    SpaceRepository,
    UsedStorageRepository,
  ],
  exports: [SpaceService, UsedStorageService],
})
export class SpaceModule {}
