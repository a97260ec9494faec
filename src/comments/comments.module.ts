import { Module } from '@nestjs/common';
import { UsersModule } from '../users/users.module';
import { CommentsService } from './comments.service';

/** Comments as issues and pull requests share them. */
@Module({ imports: [UsersModule], providers: [CommentsService], exports: [CommentsService] })
export class CommentsModule {}
