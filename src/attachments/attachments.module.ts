import { Module } from '@nestjs/common';
import { SpaceModule } from '../space/space.module';
import { UsersModule } from '../users/users.module';
import { AttachmentLinksService } from './attachment-links.service';
import { AttachmentsController } from './attachments.controller';
import { AttachmentsService } from './attachments.service';
import { AttachmentLinkRepository } from './data/attachment-link.repository';
import { AttachmentRepository } from './data/attachment.repository';
import { FileStorage, LocalFileStorage } from './file-storage';
import { StorageHealthService } from './storage-health.service';
import { UploadLimitsService } from './upload-limits.service';

/** Uploaded files, which other modules attach. */
@Module({
  imports: [SpaceModule, UsersModule],
  controllers: [AttachmentsController],
  providers: [
    AttachmentsService,
    AttachmentLinksService,
    StorageHealthService,
    UploadLimitsService,
    AttachmentRepository,
    AttachmentLinkRepository,
    { provide: FileStorage, useClass: LocalFileStorage },
  ],
  exports: [AttachmentsService, AttachmentLinksService, StorageHealthService],
})
export class AttachmentsModule {}
