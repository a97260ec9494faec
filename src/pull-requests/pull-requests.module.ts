import { Module } from '@nestjs/common';
import { CommentsModule } from '../comments/comments.module';
import { GitRepositoriesModule } from '../git-repositories/git-repositories.module';
import { ProjectsModule } from '../projects/projects.module';
import { PullRequestCommentResolver } from './pull-request-comment.resolver';
import { PullRequestResolver } from './pull-request.resolver';
import { PullRequestsController } from './pull-requests.controller';
import { PullRequestsService } from './pull-requests.service';

/** Pull requests and their comments: spec 4.1 and 4.2. */
@Module({
  imports: [ProjectsModule, GitRepositoriesModule, CommentsModule],
  controllers: [PullRequestsController],
  providers: [PullRequestsService, PullRequestResolver, PullRequestCommentResolver],
  exports: [PullRequestsService],
})
export class PullRequestsModule {}
