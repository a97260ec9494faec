import { Module } from '@nestjs/common';
import { ActivitiesModule } from '../activities/activities.module';
import { AttachmentsModule } from '../attachments/attachments.module';
import { CommentsModule } from '../comments/comments.module';
import { ProjectsModule } from '../projects/projects.module';
import { UsersModule } from '../users/users.module';
import { IssueCommentResolver } from './issue-comment.resolver';
import { IssueResolver } from './issue.resolver';
import { IssuesController } from './issues.controller';
import { IssuesService } from './issues.service';

/** Issues and their comments: spec 4.3 and 4.4. */
@Module({
  imports: [UsersModule, ProjectsModule, CommentsModule, AttachmentsModule, ActivitiesModule],
  controllers: [IssuesController],
  providers: [IssuesService, IssueResolver, IssueCommentResolver],
  exports: [IssuesService],
})
export class IssuesModule {}
