import { Module } from '@nestjs/common';
import { UsersModule } from '../users/users.module';
import { ProjectCounters } from './project-counters.service';
import { ProjectResolver } from './project.resolver';
import { ProjectsService } from './projects.service';

/** Projects, their members and their counters. */
@Module({
  imports: [UsersModule],
  providers: [ProjectsService, ProjectCounters, ProjectResolver],
  exports: [ProjectsService, ProjectCounters, ProjectResolver],
})
export class ProjectsModule {}
