import { Module } from '@nestjs/common';
import { ActivitiesModule } from '../activities/activities.module';
import { AuditLogModule } from '../audit-log/audit-log.module';
import { ProjectsModule } from '../projects/projects.module';
import { CategoriesController } from './categories.controller';
import { CategoriesService } from './categories.service';
import { CategoryLoader } from './category.loader';
import { CategoryRepository } from './data/category.repository';
import { IssueTypeRepository } from './data/issue-type.repository';
import { StatusRepository } from './data/status.repository';
import { VersionRepository } from './data/version.repository';
import { FixedListsController } from './fixed-lists.controller';
import { IssueTypeLoader } from './issue-type.loader';
import { IssueTypesController } from './issue-types.controller';
import { IssueTypesService } from './issue-types.service';
import { ProjectSettingsService } from './project-settings.service';
import { SettingAuditService } from './setting-audit.service';
import { SettingsLookupService } from './settings-lookup.service';
import { SettingsRemovalService } from './settings-removal.service';
import { StatusLoader } from './status.loader';
import { StatusesController } from './statuses.controller';
import { StatusesService } from './statuses.service';
import { VersionLoader } from './version.loader';
import { VersionsController } from './versions.controller';
import { VersionsService } from './versions.service';

/** Issue types, statuses, categories and versions of projects; priorities and resolutions. */
@Module({
  imports: [AuditLogModule, ProjectsModule, ActivitiesModule],
  controllers: [
    IssueTypesController,
    StatusesController,
    CategoriesController,
    VersionsController,
    FixedListsController,
  ],
  providers: [
    SettingAuditService,
    IssueTypesService,
    IssueTypeLoader,
    StatusesService,
    StatusLoader,
    CategoriesService,
    CategoryLoader,
    VersionsService,
    VersionLoader,
    ProjectSettingsService,
    SettingsLookupService,
    SettingsRemovalService,
    IssueTypeRepository,
    StatusRepository,
    CategoryRepository,
    VersionRepository,
  ],
  exports: [
    ProjectSettingsService,
    SettingAuditService,
    SettingsLookupService,
    IssueTypesService,
    StatusesService,
    CategoriesService,
    VersionsService,
  ],
})
export class ProjectSettingsModule {}
