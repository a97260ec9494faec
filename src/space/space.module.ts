import { Module } from '@nestjs/common';
import { SpaceService } from './space.service';

/** The one space that the service holds. */
@Module({ providers: [SpaceService], exports: [SpaceService] })
export class SpaceModule {}
