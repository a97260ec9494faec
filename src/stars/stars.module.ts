import { Module } from '@nestjs/common';
import { CommentsModule } from '../comments/comments.module';
import { StarGivingService } from './star-giving.service';
import { StarSubjectsService } from './star-subjects.service';
import { StarLoader } from './star.loader';
import { StarsController } from './stars.controller';

/** Stars that users give to things of the modules that register them, and to comments on them. */
@Module({
  imports: [CommentsModule],
  controllers: [StarsController],
  providers: [StarSubjectsService, StarGivingService, StarLoader],
  exports: [StarSubjectsService],
})
export class StarsModule {}
