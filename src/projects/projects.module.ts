import { Module } from '@nestjs/common';
import { SpaceModule } from '../space/space.module';
import { UsersModule } from '../users/users.module';
import { AllUsersController } from './all-users.controller';
import { AnyProjectResolver } from './any-project.resolver';
import { ProjectAdministrationService } from './project-administration.service';
import { ProjectCounters } from './project-counters.service';
import { ProjectPeopleService } from './project-people.service';
import { ProjectRemovalService } from './project-removal.service';
import { ProjectResolver } from './project.resolver';
import { ProjectsController } from './projects.controller';
import { ProjectsService } from './projects.service';

/** Projects, their members and their counters. */
@Module({
  imports: [SpaceModule, UsersModule],
  controllers: [ProjectsController, AllUsersController],
  providers: [
    ProjectsService,
    ProjectAdministrationService,
    ProjectCounters,
    ProjectPeopleService,
    ProjectRemovalService,
    ProjectResolver,
    AnyProjectResolver,
  ],
  exports: [ProjectsService, ProjectCounters, ProjectPeopleService, ProjectRemovalService, ProjectResolver],
})
export class ProjectsModule {}
