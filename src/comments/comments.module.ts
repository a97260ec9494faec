import { Module } from '@nestjs/common';
import { UsersModule } from '../users/users.module';
import { CommentsService } from './comments.service';
import { NotificationsService } from './notifications.service';
import { StarsService } from './stars.service';

/** Comments, stars and notifications as issues, pull requests and wiki pages share them. */
@Module({
  imports: [UsersModule],
  providers: [CommentsService, NotificationsService, StarsService],
  exports: [CommentsService, NotificationsService, StarsService],
})
export class CommentsModule {}
