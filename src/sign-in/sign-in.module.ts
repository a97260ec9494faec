import { Module } from '@nestjs/common';
import { AuditLogModule } from '../audit-log/audit-log.module';
import { SessionsModule } from '../sessions/sessions.module';
import { UsersModule } from '../users/users.module';
import { PasswordLinkRepository } from './data/password-link.repository';
import { SignInFailuresRepository } from './data/sign-in-failures.repository';
import { PasswordLinksController } from './password-links.controller';
import { PasswordLinksService } from './password-links.service';
import { SignInAttemptsService } from './sign-in-attempts.service';
import { SignInRetentionService } from './sign-in-retention.service';
import { SignInService } from './sign-in.service';

/** Signing in by passwords, and links to set these. */
@Module({
  imports: [UsersModule, SessionsModule, AuditLogModule],
  controllers: [PasswordLinksController],
  providers: [
    SignInService,
    SignInAttemptsService,
    PasswordLinksService,
    SignInRetentionService,
    PasswordLinkRepository,
    SignInFailuresRepository,
  ],
  exports: [SignInService, PasswordLinksService],
})
export class SignInModule {}
