import { Module } from '@nestjs/common';
import { IdentityProvidersModule } from '../identity-providers/identity-providers.module';
import { SingleSignOnModule } from '../identity-providers/sign-in/single-sign-on.module';
import { InvitationAcceptanceModule } from '../invitations/invitation-acceptance.module';
import { InvitationsModule } from '../invitations/invitations.module';
import { ProjectsModule } from '../projects/projects.module';
import { SecondFactorsModule } from '../second-factors/second-factors.module';
import { SessionsModule } from '../sessions/sessions.module';
import { SignInModule } from '../sign-in/sign-in.module';
import { UsersModule } from '../users/users.module';
import { AccountController } from './account.controller';
import { InvitationController } from './invitation.controller';
import { InvitationsPageController } from './invitations.controller';
import { FactorsController } from './factors.controller';
import { IdentitiesPageController } from './identities.controller';
import { PasswordLinkController } from './password-link.controller';
import { SecondFactorController } from './second-factor.controller';
import { SignInController } from './sign-in.controller';
import { SsoController } from './sso.controller';

/** The pages on which people sign in and care for their account. */
@Module({
  imports: [
    UsersModule,
    ProjectsModule,
    SessionsModule,
    SecondFactorsModule,
    SignInModule,
    IdentityProvidersModule,
    SingleSignOnModule,
    InvitationsModule,
    InvitationAcceptanceModule,
  ],
  controllers: [
    SignInController,
    SsoController,
    SecondFactorController,
    PasswordLinkController,
    InvitationController,
    AccountController,
    FactorsController,
    IdentitiesPageController,
    InvitationsPageController,
  ],
})
export class AccountModule {}
