import { Module } from '@nestjs/common';
import { ActivitiesModule } from '../activities/activities.module';
import { ProjectsModule } from '../projects/projects.module';
import { CategoriesController } from './categories.controller';
import { CategoriesService } from './categories.service';
import { CategoryResolver } from './category.resolver';
import { FixedListsController } from './fixed-lists.controller';
import { IssueTypeResolver } from './issue-type.resolver';
import { IssueTypesController } from './issue-types.controller';
import { IssueTypesService } from './issue-types.service';
import { ProjectSettingsService } from './project-settings.service';
import { SettingsLookupService } from './settings-lookup.service';
import { SettingsRemovalService } from './settings-removal.service';
import { StatusResolver } from './status.resolver';
import { StatusesController } from './statuses.controller';
import { StatusesService } from './statuses.service';
import { VersionResolver } from './version.resolver';
import { VersionsController } from './versions.controller';
import { VersionsService } from './versions.service';

/** Issue types, statuses, categories and versions of projects; priorities and resolutions. */
@Module({
  imports: [ProjectsModule, ActivitiesModule],
  controllers: [
    IssueTypesController,
    StatusesController,
    CategoriesController,
    VersionsController,
    FixedListsController,
  ],
  providers: [
    IssueTypesService,
    IssueTypeResolver,
    StatusesService,
    StatusResolver,
    CategoriesService,
    CategoryResolver,
    VersionsService,
    VersionResolver,
    ProjectSettingsService,
    SettingsLookupService,
    SettingsRemovalService,
  ],
  exports: [
    ProjectSettingsService,
    SettingsLookupService,
    StatusesService,
    CategoriesService,
    VersionsService,
  ],
})
export class ProjectSettingsModule {}
