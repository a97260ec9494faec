import { Module } from '@nestjs/common';
import { AuditLogModule } from '../audit-log/audit-log.module';
import { MailModule } from '../mail/mail.module';
import { ProjectsModule } from '../projects/projects.module';
import { SpaceModule } from '../space/space.module';
import { TeamsModule } from '../teams/teams.module';
import { UsersModule } from '../users/users.module';
import { InvitationRepository } from './data/invitation.repository';
import { InvitationLettersService } from './invitation-letters.service';
import { InvitationRetentionService } from './invitation-retention.service';
import { InvitationLoader } from './invitation.loader';
import { InvitationsController } from './invitations.controller';
import { InvitationsService } from './invitations.service';

/** Links with which people become users, as Administrators and operators make them. */
@Module({
  imports: [AuditLogModule, SpaceModule, UsersModule, ProjectsModule, TeamsModule, MailModule],
  controllers: [InvitationsController],
  providers: [
    InvitationsService,
    InvitationLettersService,
    InvitationRetentionService,
    InvitationLoader,
    InvitationRepository,
  ],
  exports: [InvitationsService, InvitationLettersService, InvitationRepository],
})
export class InvitationsModule {}
