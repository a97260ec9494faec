import { Module } from '@nestjs/common';
import { AuditLogModule } from '../audit-log/audit-log.module';
import { ProjectMembersModule } from '../project-members/project-members.module';
import { ProjectsModule } from '../projects/projects.module';
import { SessionsModule } from '../sessions/sessions.module';
import { SignInModule } from '../sign-in/sign-in.module';
import { SpaceModule } from '../space/space.module';
import { TeamsModule } from '../teams/teams.module';
import { UsersModule } from '../users/users.module';
import { InvitationRepository } from './data/invitation.repository';
import { InvitationAcceptanceService } from './invitation-acceptance.service';
import { InvitationRetentionService } from './invitation-retention.service';
import { InvitationLoader } from './invitation.loader';
import { InvitationsController } from './invitations.controller';
import { InvitationsService } from './invitations.service';

/** Links with which people become users. */
@Module({
  imports: [
    AuditLogModule,
    SpaceModule,
    UsersModule,
    ProjectsModule,
    ProjectMembersModule,
    TeamsModule,
    SessionsModule,
    SignInModule,
  ],
  controllers: [InvitationsController],
  providers: [
    InvitationsService,
    InvitationAcceptanceService,
    InvitationRetentionService,
    InvitationLoader,
    InvitationRepository,
  ],
  exports: [InvitationsService, InvitationAcceptanceService],
})
export class InvitationsModule {}
