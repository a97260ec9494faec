import { Module } from '@nestjs/common';
import { ProjectRemovalService } from './project-removal.service';
import { ProjectCounters } from './project-counters.service';
import { ProjectResolver } from './project.resolver';
import { ProjectsService } from './projects.service';

/** Projects, their members and their counters. */
@Module({
  providers: [ProjectsService, ProjectCounters, ProjectRemovalService, ProjectResolver],
  exports: [ProjectsService, ProjectCounters, ProjectRemovalService, ProjectResolver],
})
export class ProjectsModule {}
