import { Module } from '@nestjs/common';
import { SpaceModule } from '../space/space.module';
import { UsersModule } from '../users/users.module';
import { AttachmentLinksService } from './attachment-links.service';
import { AttachmentsController } from './attachments.controller';
import { AttachmentsService } from './attachments.service';
import { FileStorage, LocalFileStorage } from './file-storage';
import { StorageHealthService } from './storage-health.service';

/** Uploaded files, which other modules attach. */
@Module({
  imports: [SpaceModule, UsersModule],
  controllers: [AttachmentsController],
  providers: [
    AttachmentsService,
    AttachmentLinksService,
    StorageHealthService,
    { provide: FileStorage, useClass: LocalFileStorage },
  ],
  exports: [AttachmentsService, AttachmentLinksService, StorageHealthService],
})
export class AttachmentsModule {}
