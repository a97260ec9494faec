import { Module } from '@nestjs/common';
import { ProjectCounters } from './project-counters.service';
import { ProjectResolver } from './project.resolver';
import { ProjectsService } from './projects.service';

/** Projects, their members and their counters. */
@Module({
  providers: [ProjectsService, ProjectCounters, ProjectResolver],
  exports: [ProjectsService, ProjectCounters, ProjectResolver],
})
export class ProjectsModule {}
