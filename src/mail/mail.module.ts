import { Module } from '@nestjs/common';
import { AuditLogModule } from '../audit-log/audit-log.module';
import { DeliveriesModule } from '../deliveries/deliveries.module';
import { NotificationsModule } from '../notifications/notifications.module';
import { ProjectsModule } from '../projects/projects.module';
import { SpaceModule } from '../space/space.module';
import { UsersModule } from '../users/users.module';
import { MailLetterRepository } from './data/mail-letter.repository';
import { MailServerRepository } from './data/mail-server.repository';
import { MailSettingRepository } from './data/mail-setting.repository';
import { MailRetentionService } from './mail-retention.service';
import { MailSettingsController } from './mail-settings.controller';
import { MailSettingsService } from './mail-settings.service';
import { MailStatusService } from './mail-status.service';
import { DigestsService } from './notified/digests.service';
import { NotificationLettersService } from './notified/notification-letters.service';
import { LetterKindsService } from './outbox/letter-kinds.service';
import { LettersService } from './outbox/letters.service';
import { SecurityLettersService } from './security/security-letters.service';
import { LetterSender } from './sending/letter-sender';
import { MailDispatcherService } from './sending/mail-dispatcher.service';
import { MailQueue } from './sending/mail-queue';
import { MailSettings } from './sending/mail-settings';
import { TestLettersService } from './sending/test-letters.service';
import { RecipientsService } from './sending/recipients.service';
import { SpaceMailController } from './space-mail.controller';

/** Letters to users, and what they choose to get (`docs/decisions/0066-mail.md`). */
@Module({
  imports: [DeliveriesModule, AuditLogModule, SpaceModule, UsersModule, ProjectsModule, NotificationsModule],
  controllers: [MailSettingsController, SpaceMailController],
  providers: [
    MailSettings,
    MailLetterRepository,
    MailServerRepository,
    MailSettingRepository,
    LetterKindsService,
    LettersService,
    RecipientsService,
    LetterSender,
    MailQueue,
    MailDispatcherService,
    NotificationLettersService,
    DigestsService,
    SecurityLettersService,
    MailSettingsService,
    MailStatusService,
    TestLettersService,
    MailRetentionService,
  ],
  exports: [LettersService, LetterKindsService, MailSettingsService, MailStatusService, TestLettersService],
})
export class MailModule {}
