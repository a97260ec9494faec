import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/attachments.module';
import { CommentsModule } from '../comments/comments.module';
import { GitRepositoriesModule } from '../git-repositories/git-repositories.module';
import { IssuesModule } from '../issues/issues.module';
import { ProjectSettingsModule } from '../project-settings/project-settings.module';
import { ProjectsModule } from '../projects/projects.module';
import { PullRequestsModule } from '../pull-requests/pull-requests.module';
import { SpaceModule } from '../space/space.module';
import { UsersModule } from '../users/users.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { WikisModule } from '../wikis/wikis.module';
import { DemoDataService } from './demo-data.service';
import { FirstStartService } from './first-start.service';

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
    AttachmentsModule,
    WikisModule,
    WebhooksModule,
  ],
  providers: [FirstStartService, DemoDataService],
  exports: [FirstStartService],
})
export class FirstStartModule {}
