import { Module } from '@nestjs/common';
import { AttachmentsModule } from '../attachments/attachments.module';
import { ProjectsModule } from '../projects/projects.module';
import { SpaceModule } from '../space/space.module';
import { TeamsModule } from '../teams/teams.module';
import { UsersModule } from '../users/users.module';
import { IconRepository } from './data/icon.repository';
import { IconsService } from './icons.service';
import { ProjectIconController } from './project-icon.controller';
import { SpaceIconController } from './space-icon.controller';
import { ProjectIconSubject } from './subjects/project-icon.subject';
import { SpaceIconSubject } from './subjects/space-icon.subject';
import { TeamIconSubject } from './subjects/team-icon.subject';
import { UserIconSubject } from './subjects/user-icon.subject';
import { TeamIconController } from './team-icon.controller';
import { UserIconController } from './user-icon.controller';

/** Pictures of the space, of users, of projects and of teams. */
@Module({
  imports: [AttachmentsModule, SpaceModule, UsersModule, ProjectsModule, TeamsModule],
  controllers: [SpaceIconController, UserIconController, ProjectIconController, TeamIconController],
  providers: [
    IconsService,
    IconRepository,
    SpaceIconSubject,
    UserIconSubject,
    ProjectIconSubject,
    TeamIconSubject,
  ],
})
export class IconsModule {}
