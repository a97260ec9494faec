import { Module } from '@nestjs/common';
import { AuditLogModule } from '../audit-log/audit-log.module';
import { ProjectMembersModule } from '../project-members/project-members.module';
import { SessionsModule } from '../sessions/sessions.module';
import { SignInModule } from '../sign-in/sign-in.module';
import { SpaceModule } from '../space/space.module';
import { TeamsModule } from '../teams/teams.module';
import { UsersModule } from '../users/users.module';
import { InvitationAcceptanceService } from './invitation-acceptance.service';
import { InvitationsModule } from './invitations.module';

/** The acceptance of invitations, apart from these because it signs people in, which needs the encryption key. */
@Module({
  imports: [
    AuditLogModule,
    SpaceModule,
    UsersModule,
    TeamsModule,
    ProjectMembersModule,
    SessionsModule,
    SignInModule,
    InvitationsModule,
  ],
  providers: [InvitationAcceptanceService],
  exports: [InvitationAcceptanceService],
})
export class InvitationAcceptanceModule {}
