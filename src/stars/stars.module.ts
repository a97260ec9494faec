import { Module } from '@nestjs/common';
import { CommentsModule } from '../comments/comments.module';
import { IssuesModule } from '../issues/issues.module';
import { PullRequestsModule } from '../pull-requests/pull-requests.module';
import { WikisModule } from '../wikis/wikis.module';
import { StarGivingService } from './star-giving.service';
import { StarLoader } from './star.loader';
import { StarsController } from './stars.controller';

/** Stars that users give to issues, pull requests, wiki pages and comments. */
@Module({
  imports: [CommentsModule, IssuesModule, PullRequestsModule, WikisModule],
  controllers: [StarsController],
  providers: [StarGivingService, StarLoader],
})
export class StarsModule {}
