import { Module } from '@nestjs/common';
import { AuditLogModule } from '../audit-log/audit-log.module';
import { UsersModule } from '../users/users.module';
import { LoginChallengeRepository } from './data/login-challenge.repository';
import { PasswordLinkRepository } from './data/password-link.repository';
import { PasswordLinksService } from './password-links.service';

/** Links to set passwords. Apart from signing in, because commands make links without keys of encryption. */
@Module({
  imports: [UsersModule, AuditLogModule],
  providers: [PasswordLinksService, PasswordLinkRepository, LoginChallengeRepository],
  exports: [PasswordLinksService, LoginChallengeRepository],
})
export class PasswordLinksModule {}
