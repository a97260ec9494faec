import { Module } from '@nestjs/common';
import { InvitationsModule } from '../invitations/invitations.module';
import { ProjectsModule } from '../projects/projects.module';
import { SessionsModule } from '../sessions/sessions.module';
import { SignInModule } from '../sign-in/sign-in.module';
import { UsersModule } from '../users/users.module';
import { AccountController } from './account.controller';
import { InvitationController } from './invitation.controller';
import { InvitationsPageController } from './invitations.controller';
import { PasswordLinkController } from './password-link.controller';
import { SignInController } from './sign-in.controller';

/** The pages on which people sign in and care for their account. */
@Module({
  imports: [UsersModule, ProjectsModule, SessionsModule, SignInModule, InvitationsModule],
  controllers: [
    SignInController,
    PasswordLinkController,
    InvitationController,
    AccountController,
    InvitationsPageController,
  ],
})
export class AccountModule {}
