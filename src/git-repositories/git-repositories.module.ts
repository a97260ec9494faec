import { Module } from '@nestjs/common';
import { ActivitiesModule } from '../activities/activities.module';
import { AttachmentsModule } from '../attachments/attachments.module';
import { AuditLogModule } from '../audit-log/audit-log.module';
import { ProjectsModule } from '../projects/projects.module';
import { SpaceModule } from '../space/space.module';
import { UsersModule } from '../users/users.module';
import { GitPushRepository } from './data/git-push.repository';
import { GitRepositoryRepository } from './data/git-repository.repository';
import { BranchesController } from './contents/branches.controller';
import { BranchesService } from './contents/branches.service';
import { ChangedFilesService } from './contents/changed-files.service';
import { CommitsService } from './contents/commits.service';
import { ComparisonService } from './contents/comparison.service';
import { ContentsController } from './contents/contents.controller';
import { NamedCommitService } from './contents/named-commit.service';
import { GitAttributesService } from './contents/git-attributes.service';
import { GitReaderService } from './contents/git-reader.service';
import { TreeService } from './contents/tree.service';
import { GitStorageRepository } from './data/git-storage.repository';
import { GitRepositoriesController, ProjectGitRepositoriesController } from './git-repositories.controller';
import { GitRepositoriesService } from './git-repositories.service';
import { GitRepositoryRemovalService } from './git-repository-removal.service';
import { PushContentService } from './pushes/push-content.service';
import { PushedCommitsService } from './pushes/pushed-commits.service';
import { PushReconciliationService } from './pushes/push-reconciliation.service';
import { PushesService } from './pushes/pushes.service';
import { GitRefsService } from './refs/git-refs.service';
import { GitFoldersService } from './storage/git-folders.service';
import { GitMaintenanceService } from './storage/git-maintenance.service';
import { GitSizesService } from './storage/git-sizes.service';
import { ImportedRepositoriesService } from './storage/imported-repositories.service';
import { GitRepositoryLoader } from './git-repository.loader';
import { DefaultBranchService } from './default-branch.service';
import { GitHeadService } from './refs/git-head.service';
import { RefRepairService } from './refs/ref-repair.service';
import { GitAddressLoader } from './serving/git-address.loader';
import { GitServingController } from './serving/git-serving.controller';
import { GitFetchService } from './serving/git-fetch.service';
import { GitPushService } from './serving/git-push.service';
import { LargePushesService } from './serving/large-pushes.service';
import { GitTransfersService } from './serving/git-transfers.service';
import { PushHookService } from './serving/push-hook.service';

/** Git repositories, to which pull requests belong. */
@Module({
  imports: [AuditLogModule, ProjectsModule, UsersModule, ActivitiesModule, AttachmentsModule, SpaceModule],
  controllers: [
    GitRepositoriesController,
    ProjectGitRepositoriesController,
    GitServingController,
    BranchesController,
    ContentsController,
  ],
  providers: [
    GitRepositoryRepository,
    GitPushRepository,
    GitStorageRepository,
    GitRefsService,
    PushedCommitsService,
    PushContentService,
    PushesService,
    PushReconciliationService,
    GitSizesService,
    GitFoldersService,
    ImportedRepositoriesService,
    GitMaintenanceService,
    GitRepositoriesService,
    GitRepositoryRemovalService,
    GitRepositoryLoader,
    DefaultBranchService,
    GitHeadService,
    RefRepairService,
    GitAddressLoader,
    GitTransfersService,
    GitFetchService,
    GitPushService,
    LargePushesService,
    PushHookService,
    GitReaderService,
    GitAttributesService,
    NamedCommitService,
    BranchesService,
    CommitsService,
    ChangedFilesService,
    ComparisonService,
    TreeService,
  ],
  exports: [
    GitReaderService,
    GitAttributesService,
    CommitsService,
    ChangedFilesService,
    ComparisonService,
    GitRepositoriesService,
    GitRepositoryRemovalService,
    GitRepositoryLoader,
    GitRefsService,
    RefRepairService,
    PushesService,
    PushedCommitsService,
    DefaultBranchService,
    GitSizesService,
    ImportedRepositoriesService,
  ],
})
export class GitRepositoriesModule {}
