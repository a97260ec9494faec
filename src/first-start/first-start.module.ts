import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/attachments.module';
import { CommentsModule } from '../comments/comments.module';
import { GitRepositoriesModule } from '../git-repositories/git-repositories.module';
import { IssuesModule } from '../issues/issues.module';
import { NotificationsModule } from '../notifications/notifications.module';
import { ProjectSettingsModule } from '../project-settings/project-settings.module';
import { ProjectsModule } from '../projects/projects.module';
import { PullRequestsModule } from '../pull-requests/pull-requests.module';
import { SharedFilesModule } from '../shared-files/shared-files.module';
import { SpaceModule } from '../space/space.module';
import { StarsModule } from '../stars/stars.module';
import { TeamsModule } from '../teams/teams.module';
import { UsersModule } from '../users/users.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { DocumentsModule } from '../documents/documents.module';
import { WikisModule } from '../wikis/wikis.module';
import { DemoDataService } from './demo-data.service';
import { DemoRepositoryService } from './demo-repository.service';
import { FirstStartService } from './first-start.service';
import { SampleProjectsService } from './sample-projects.service';

/** Fills an empty database. */
@Module({
  imports: [
    SpaceModule,
    UsersModule,
    ProjectsModule,
    ProjectSettingsModule,
    IssuesModule,
    GitRepositoriesModule,
    PullRequestsModule,
    CommentsModule,
    StarsModule,
    TeamsModule,
    NotificationsModule,
    AttachmentsModule,
    SharedFilesModule,
    DocumentsModule,
    WikisModule,
    WebhooksModule,
  ],
  providers: [FirstStartService, DemoDataService, DemoRepositoryService, SampleProjectsService],
  exports: [FirstStartService],
})
export class FirstStartModule {}
