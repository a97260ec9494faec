import { Module } from '@nestjs/common';
import { ActivitiesModule } from '../activities/activities.module';
import { AuditLogModule } from '../audit-log/audit-log.module';
import { NotificationsModule } from '../notifications/notifications.module';
import { ProjectsModule } from '../projects/projects.module';
import { SpaceModule } from '../space/space.module';
import { UsersModule } from '../users/users.module';
import { ProjectTeamRepository } from './data/project-team.repository';
import { TeamMemberRepository } from './data/team-member.repository';
import { TeamRepository } from './data/team.repository';
import { ProjectTeamsController } from './project-teams.controller';
import { ProjectTeamsService } from './project-teams.service';
import { TeamMembershipsService } from './team-memberships.service';
import { TeamReaderService } from './team-reader.service';
import { TeamLoader } from './team.loader';
import { TeamsController } from './teams.controller';
import { TeamsService } from './teams.service';

/** Teams and their projects. */
@Module({
  imports: [AuditLogModule, SpaceModule, UsersModule, ProjectsModule, ActivitiesModule, NotificationsModule],
  controllers: [TeamsController, ProjectTeamsController],
  providers: [
    TeamsService,
    ProjectTeamsService,
    TeamReaderService,
    TeamMembershipsService,
    TeamLoader,
    TeamRepository,
    TeamMemberRepository,
    ProjectTeamRepository,
  ],
  exports: [TeamsService, TeamMembershipsService, ProjectTeamsService, TeamReaderService, TeamLoader],
})
export class TeamsModule {}
