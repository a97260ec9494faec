import { Module } from '@nestjs/common';
import { CommentsModule } from '../comments/comments.module';
import { CustomFieldsModule } from '../custom-fields/custom-fields.module';
import { GitRepositoriesModule } from '../git-repositories/git-repositories.module';
import { IssuesModule } from '../issues/issues.module';
import { ProjectSettingsModule } from '../project-settings/project-settings.module';
import { ProjectsModule } from '../projects/projects.module';
import { PullRequestsModule } from '../pull-requests/pull-requests.module';
import { TeamsModule } from '../teams/teams.module';
import { SharedFilesModule } from '../shared-files/shared-files.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { DocumentsModule } from '../documents/documents.module';
import { WikisModule } from '../wikis/wikis.module';
import { ProjectExportService } from './project-export.service';

/** Exports a project as text. */
@Module({
  imports: [
    ProjectsModule,
    TeamsModule,
    ProjectSettingsModule,
    CustomFieldsModule,
    IssuesModule,
    GitRepositoriesModule,
    PullRequestsModule,
    CommentsModule,
    DocumentsModule,
    WikisModule,
    SharedFilesModule,
    WebhooksModule,
  ],
  providers: [ProjectExportService],
})
export class ProjectExportModule {}
