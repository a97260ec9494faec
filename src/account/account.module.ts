import { Module } from '@nestjs/common';
import { SecondFactorsModule } from '../second-factors/second-factors.module';
import { SessionsModule } from '../sessions/sessions.module';
import { SignInModule } from '../sign-in/sign-in.module';
import { UsersModule } from '../users/users.module';
import { AccountController } from './account.controller';
import { FactorsController } from './factors.controller';
import { PasswordLinkController } from './password-link.controller';
import { SecondFactorController } from './second-factor.controller';
import { SignInController } from './sign-in.controller';

/** The pages on which people sign in and care for their account. */
@Module({
  imports: [UsersModule, SessionsModule, SecondFactorsModule, SignInModule],
  controllers: [
    SignInController,
    SecondFactorController,
    PasswordLinkController,
    AccountController,
    FactorsController,
  ],
})
export class AccountModule {}
