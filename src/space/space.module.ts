import { Module } from '@nestjs/common';
import { SpaceRepository } from './data/space.repository';
import { SpaceController } from './space.controller';
import { SpaceService } from './space.service';

/** The one space that the service holds. */
@Module({
  controllers: [SpaceController],
  providers: [SpaceService, SpaceRepository],
  exports: [SpaceService],
})
export class SpaceModule {}
