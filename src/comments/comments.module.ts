import { Module } from '@nestjs/common';
import { UsersModule } from '../users/users.module';
import { CommentsService } from './comments.service';
import { NotificationsService } from './notifications.service';

/** Comments as issues and pull requests share them. */
@Module({
  imports: [UsersModule],
  providers: [CommentsService, NotificationsService],
  exports: [CommentsService, NotificationsService],
})
export class CommentsModule {}
