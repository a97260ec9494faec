import { Module } from '@nestjs/common';
import { ActivitiesModule } from '../activities/activities.module';
import { AttachmentsModule } from '../attachments/attachments.module';
import { AuditLogModule } from '../audit-log/audit-log.module';
import { ProjectsModule } from '../projects/projects.module';
import { UsersModule } from '../users/users.module';
import { SharedFileLinkRepository } from './data/shared-file-link.repository';
import { SharedFileRepository } from './data/shared-file.repository';
import { SharedFileChangesService } from './shared-file-changes.service';
import { SharedFileLinksService } from './shared-file-links.service';
import { SharedFileRemovalService } from './shared-file-removal.service';
import { SharedFileLoader, SharedFolderLoader } from './shared-file.loader';
import { SharedFilesController } from './shared-files.controller';
import { SharedFilesService } from './shared-files.service';

/** Folders and files of projects, which other modules link to their resources. */
@Module({
  imports: [ActivitiesModule, AttachmentsModule, AuditLogModule, ProjectsModule, UsersModule],
  controllers: [SharedFilesController],
  providers: [
    SharedFilesService,
    SharedFileChangesService,
    SharedFileLinksService,
    SharedFileRemovalService,
    SharedFileRepository,
    SharedFileLinkRepository,
    SharedFileLoader,
    SharedFolderLoader,
  ],
  exports: [SharedFilesService, SharedFileChangesService, SharedFileLinksService],
})
export class SharedFilesModule {}
