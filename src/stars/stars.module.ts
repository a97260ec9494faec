import { Module } from '@nestjs/common';
import { UsersModule } from '../users/users.module';
import { StarRepository } from './data/star.repository';
import { ReceivedStarsController } from './received-stars.controller';
import { StarGivingService } from './star-giving.service';
import { StarSubjectsService } from './star-subjects.service';
import { StarLoader } from './star.loader';
import { StarsController } from './stars.controller';
import { StarsService } from './stars.service';

/** Module of the stars on subjects that other modules register, and on comments on these subjects. */
@Module({
  imports: [UsersModule],
  controllers: [StarsController, ReceivedStarsController],
  providers: [StarRepository, StarsService, StarSubjectsService, StarGivingService, StarLoader],
  exports: [StarsService, StarSubjectsService],
})
export class StarsModule {}
