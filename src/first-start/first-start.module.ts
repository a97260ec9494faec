import { Module } from '@nestjs/common';
import { MODULES } from '../modules';
import { SpaceModule } from '../space/space.module';
import { DemoDataService } from './demo-data.service';
import { DemoRepositoryService } from './demo-repository.service';
import { FirstStartService } from './first-start.service';
import { SampleProjectsService } from './sample-projects.service';

/** Fills an empty database. */
@Module({
  imports: [SpaceModule, ...MODULES],
  providers: [FirstStartService, DemoDataService, DemoRepositoryService, SampleProjectsService],
  exports: [FirstStartService],
})
export class FirstStartModule {}
