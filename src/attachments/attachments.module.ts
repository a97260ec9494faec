import { Module } from '@nestjs/common';
import { Environment } from '../config/environment';
import { ProjectsModule } from '../projects/projects.module';
import { SpaceModule } from '../space/space.module';
import { UsersModule } from '../users/users.module';
import { AttachmentLinksService } from './attachment-links.service';
import { AttachmentsController } from './attachments.controller';
import { AttachmentsService } from './attachments.service';
import { AttachmentLinkRepository } from './data/attachment-link.repository';
import { AttachmentRepository } from './data/attachment.repository';
import { DiskUsageRepository } from './data/disk-usage.repository';
import { ProjectDiskUsageController, SpaceDiskUsageController } from './disk-usage/disk-usage.controllers';
import { DiskUsageService } from './disk-usage/disk-usage.service';
import { FileStorage } from './file-storage';
import { ImportedFilesService } from './imported-files.service';
import { openStorage } from './open-storage';
import { StorageHealthService } from './storage-health.service';
import { UploadLimitsService } from './upload-limits.service';

/** Uploaded files, which other modules attach, and their disk usage. */
@Module({
  imports: [ProjectsModule, SpaceModule, UsersModule],
  controllers: [AttachmentsController, SpaceDiskUsageController, ProjectDiskUsageController],
  providers: [
    AttachmentsService,
    AttachmentLinksService,
    ImportedFilesService,
    StorageHealthService,
    UploadLimitsService,
    AttachmentRepository,
    AttachmentLinkRepository,
    DiskUsageService,
    DiskUsageRepository,
    { provide: FileStorage, useFactory: openStorage, inject: [Environment] },
  ],
  exports: [
    AttachmentsService,
    AttachmentLinksService,
    DiskUsageService,
    ImportedFilesService,
    StorageHealthService,
  ],
})
export class AttachmentsModule {}
