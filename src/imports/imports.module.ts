import { Module } from '@nestjs/common';
import { ActivitiesModule } from '../activities/activities.module';
import { AttachmentsModule } from '../attachments/attachments.module';
import { AuditLogModule } from '../audit-log/audit-log.module';
import { GitRepositoriesModule } from '../git-repositories/git-repositories.module';
import { ProjectsModule } from '../projects/projects.module';
import { SearchIndexModule } from '../search-index/search-index.module';
import { SpaceModule } from '../space/space.module';
import { TeamsModule } from '../teams/teams.module';
import { UsersModule } from '../users/users.module';
import { ImportRunRepository } from './data/import-run.repository';
import { ImportCancellationService } from './import-cancellation.service';
import { ImportPlanService } from './import-plan.service';
import { ImportPreviewService } from './import-preview.service';
import { ImportReadingService } from './import-reading.service';
import { ImportReplacementService } from './import-replacement.service';
import { ImportSpoolService } from './import-spool.service';
import { ImportWorkerService } from './import-worker.service';
import { ImportLoader } from './import.loader';
import { ImportsController } from './imports.controller';
import { ImportsService } from './imports.service';
import { UserMergeController } from './user-merge.controller';
import { UserMergeService } from './user-merge.service';

/** Imports of archives of projects. */
@Module({
  imports: [
    ActivitiesModule,
    AttachmentsModule,
    AuditLogModule,
    GitRepositoriesModule,
    ProjectsModule,
    SearchIndexModule,
    SpaceModule,
    TeamsModule,
    UsersModule,
  ],
  controllers: [ImportsController, UserMergeController],
  providers: [
    ImportRunRepository,
    ImportSpoolService,
    ImportPlanService,
    ImportPreviewService,
    ImportReadingService,
    ImportReplacementService,
    ImportCancellationService,
    ImportWorkerService,
    ImportsService,
    ImportLoader,
    UserMergeService,
  ],
  exports: [ImportsService, ImportWorkerService, ImportPreviewService, UserMergeService],
})
export class ImportsModule {}
