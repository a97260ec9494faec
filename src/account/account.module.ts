import { Module } from '@nestjs/common';
import { SessionsModule } from '../sessions/sessions.module';
import { SignInModule } from '../sign-in/sign-in.module';
import { UsersModule } from '../users/users.module';
import { AccountController } from './account.controller';
import { PasswordLinkController } from './password-link.controller';
import { SignInController } from './sign-in.controller';

/** The pages on which people sign in and care for their account. */
@Module({
  imports: [UsersModule, SessionsModule, SignInModule],
  controllers: [SignInController, PasswordLinkController, AccountController],
})
export class AccountModule {}
