import { Module } from '@nestjs/common';
import { AuditLogModule } from '../../audit-log/audit-log.module';
import { InvitationAcceptanceModule } from '../../invitations/invitation-acceptance.module';
import { SecondFactorsModule } from '../../second-factors/second-factors.module';
import { SignInModule } from '../../sign-in/sign-in.module';
import { SpaceModule } from '../../space/space.module';
import { UsersModule } from '../../users/users.module';
import { SsoAttemptRepository } from '../data/sso-attempt.repository';
import { IdentityProvidersModule } from '../identity-providers.module';
import { AdmissionService } from './admission.service';
import { SingleSignOnService } from './single-sign-on.service';
import { SsoRetentionService } from './sso-retention.service';

/** Signing in with identity providers, apart from these because commands add them without signing anybody in. */
@Module({
  imports: [
    UsersModule,
    SpaceModule,
    AuditLogModule,
    SecondFactorsModule,
    SignInModule,
    InvitationAcceptanceModule,
    IdentityProvidersModule,
  ],
  providers: [SingleSignOnService, AdmissionService, SsoRetentionService, SsoAttemptRepository],
  exports: [SingleSignOnService],
})
export class SingleSignOnModule {}
