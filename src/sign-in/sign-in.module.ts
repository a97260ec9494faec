import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module';
import { SecondFactorsModule } from '../second-factors/second-factors.module';
import { SessionsModule } from '../sessions/sessions.module';
import { SpaceModule } from '../space/space.module';
import { UsersModule } from '../users/users.module';
import { SignInFailuresRepository } from './data/sign-in-failures.repository';
import { ForgottenPasswordsService } from './forgotten-passwords.service';
import { PasskeySignInService } from './passkey-sign-in.service';
import { PasswordLinksController } from './password-links.controller';
import { PasswordLinksModule } from './password-links.module';
import { SecondStepService } from './second-step.service';
import { SignInAttemptsService } from './sign-in-attempts.service';
import { SignInRetentionService } from './sign-in-retention.service';
import { SignInService } from './sign-in.service';

/** Signing in by passwords or passkeys, and links to set passwords. */
@Module({
  imports: [UsersModule, SpaceModule, SessionsModule, SecondFactorsModule, PasswordLinksModule, MailModule],
  controllers: [PasswordLinksController],
  providers: [
    SignInService,
    SignInAttemptsService,
    ForgottenPasswordsService,
    SecondStepService,
    PasskeySignInService,
    SignInRetentionService,
    SignInFailuresRepository,
  ],
  exports: [
    SignInService,
    ForgottenPasswordsService,
    SecondStepService,
    PasskeySignInService,
    PasswordLinksModule,
  ],
})
export class SignInModule {}
