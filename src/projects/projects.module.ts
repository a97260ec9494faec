import { Module } from '@nestjs/common';
import { AuditLogModule } from '../audit-log/audit-log.module';
import { SpaceModule } from '../space/space.module';
import { UsersModule } from '../users/users.module';
import { ViewsModule } from '../views/views.module';
import { AllUsersController } from './all-users.controller';
import { AnyProjectLoader } from './any-project.loader';
import { ProjectCounterRepository } from './data/project-counter.repository';
import { ProjectMemberRepository } from './data/project-member.repository';
import { ProjectRepository } from './data/project.repository';
import { ImportedProjectsService } from './imported-projects.service';
import { ProjectAdministrationService } from './project-administration.service';
import { ProjectCountersService } from './project-counters.service';
import { ProjectMembershipsService } from './project-memberships.service';
import { ProjectPeopleService } from './project-people.service';
import { ProjectRemovalService } from './project-removal.service';
import { ProjectLoader } from './project.loader';
import { ProjectsController } from './projects.controller';
import { ProjectsService } from './projects.service';
import { RecentlyViewedProjectsController } from './recently-viewed/recently-viewed-projects.controller';
import { RecentlyViewedProjectsService } from './recently-viewed/recently-viewed-projects.service';

/** Projects, their members and their counters. */
@Module({
  imports: [SpaceModule, UsersModule, AuditLogModule, ViewsModule],
  controllers: [ProjectsController, AllUsersController, RecentlyViewedProjectsController],
  providers: [
    ProjectsService,
    ProjectAdministrationService,
    ProjectCountersService,
    ImportedProjectsService,
    ProjectMembershipsService,
    ProjectPeopleService,
    ProjectRemovalService,
    ProjectLoader,
    AnyProjectLoader,
    RecentlyViewedProjectsService,
    ProjectRepository,
    ProjectMemberRepository,
    ProjectCounterRepository,
  ],
  exports: [
    ProjectsService,
    ImportedProjectsService,
    ProjectCountersService,
    ProjectMembershipsService,
    ProjectPeopleService,
    ProjectRemovalService,
    ProjectLoader,
    AnyProjectLoader,
  ],
})
export class ProjectsModule {}
