import { Module } from '@nestjs/common';
import { SpaceModule } from '../space/space.module';
import { UsersModule } from '../users/users.module';
import { AllUsersController } from './all-users.controller';
import { AnyProjectLoader } from './any-project.loader';
import { ProjectCounterRepository } from './data/project-counter.repository';
import { ProjectMemberRepository } from './data/project-member.repository';
import { ProjectRepository } from './data/project.repository';
import { ProjectAdministrationService } from './project-administration.service';
import { ProjectCountersService } from './project-counters.service';
import { ProjectPeopleService } from './project-people.service';
import { ProjectRemovalService } from './project-removal.service';
import { ProjectLoader } from './project.loader';
import { ProjectsController } from './projects.controller';
import { ProjectsService } from './projects.service';

/** Projects, their members and their counters. */
@Module({
  imports: [SpaceModule, UsersModule],
  controllers: [ProjectsController, AllUsersController],
  providers: [
    ProjectsService,
    ProjectAdministrationService,
    ProjectCountersService,
    ProjectPeopleService,
    ProjectRemovalService,
    ProjectLoader,
    AnyProjectLoader,
    ProjectRepository,
    ProjectMemberRepository,
    ProjectCounterRepository,
  ],
  exports: [
    ProjectsService,
    ProjectCountersService,
    ProjectPeopleService,
    ProjectRemovalService,
    ProjectLoader,
  ],
})
export class ProjectsModule {}
