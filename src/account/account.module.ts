import { Module } from '@nestjs/common';
import { IdentityProvidersModule } from '../identity-providers/identity-providers.module';
import { SingleSignOnModule } from '../identity-providers/sign-in/single-sign-on.module';
import { InvitationAcceptanceModule } from '../invitations/invitation-acceptance.module';
import { InvitationsModule } from '../invitations/invitations.module';
import { MailModule } from '../mail/mail.module';
import { ProjectsModule } from '../projects/projects.module';
import { SecondFactorsModule } from '../second-factors/second-factors.module';
import { SessionsModule } from '../sessions/sessions.module';
import { SignInModule } from '../sign-in/sign-in.module';
import { UsersModule } from '../users/users.module';
import { AccountFramesService } from './account-frames.service';
import { AccountController } from './account.controller';
import { InvitationController } from './invitation.controller';
import { InvitationsPageController } from './invitations.controller';
import { EndLettersController } from './end-letters.controller';
import { FactorsController } from './factors.controller';
import { ForgottenPasswordController } from './forgotten-password.controller';
import { IdentitiesPageController } from './identities.controller';
import { MailSettingsPageController } from './mail-settings.controller';
import { MailStatusPageController } from './mail-status.controller';
import { PagePasskeysService } from './page-passkeys.service';
import { PasskeySignInController } from './passkey-sign-in.controller';
import { PasswordLinkController } from './password-link.controller';
import { SecondFactorController } from './second-factor.controller';
import { SignInController } from './sign-in.controller';
import { SignInWaysService } from './sign-in-ways.service';
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
    MailModule,
  ],
  controllers: [
    SignInController,
    PasskeySignInController,
    SsoController,
    SecondFactorController,
    PasswordLinkController,
    InvitationController,
    AccountController,
    FactorsController,
    IdentitiesPageController,
    InvitationsPageController,
    ForgottenPasswordController,
    MailSettingsPageController,
    MailStatusPageController,
    EndLettersController,
  ],
  providers: [AccountFramesService, PagePasskeysService, SignInWaysService],
})
export class AccountModule {}
