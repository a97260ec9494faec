import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/attachments.module';
import { GitRepositoriesModule } from '../git-repositories/git-repositories.module';
import { ProjectsModule } from '../projects/projects.module';
import { SearchIndexModule } from '../search-index/search-index.module';
import { SpaceModule } from '../space/space.module';
import { UsersModule } from '../users/users.module';
import { ImportRunRepository } from './data/import-run.repository';
import { ImportCancellationService } from './import-cancellation.service';
import { ImportPlanService } from './import-plan.service';
import { ImportPreviewService } from './import-preview.service';
import { ImportSpool } from './import-spool';
import { ImportWorkerService } from './import-worker.service';
import { ImportLoader } from './import.loader';
import { ImportsController } from './imports.controller';
import { ImportsService } from './imports.service';

/** Imports of archives of projects. */
@Module({
  imports: [AttachmentsModule, GitRepositoriesModule, ProjectsModule, SearchIndexModule, SpaceModule, UsersModule],
  controllers: [ImportsController],
  providers: [
    ImportRunRepository,
    ImportSpool,
    ImportPlanService,
    ImportPreviewService,
    ImportCancellationService,
    ImportWorkerService,
    ImportsService,
    ImportLoader,
  ],
  exports: [ImportsService, ImportWorkerService, ImportPreviewService],
})
export class ImportsModule {}
