import { Module } from '@nestjs/common';
import { SessionAuthenticator } from '../access/authenticator';
import { AuditLogModule } from '../audit-log/audit-log.module';
import { UsersModule } from '../users/users.module';
import { SessionRepository } from './data/session.repository';
import { SessionRetentionService } from './session-retention.service';
import { SessionLoader } from './session.loader';
import { SessionsController } from './sessions.controller';
import { SessionsService } from './sessions.service';

/** Sessions of users who have signed in in a browser. */
@Module({
  imports: [UsersModule, AuditLogModule],
  controllers: [SessionsController],
  providers: [
    SessionsService,
    { provide: SessionAuthenticator, useExisting: SessionsService },
    SessionRetentionService,
    SessionLoader,
    SessionRepository,
  ],
  exports: [SessionsService, SessionAuthenticator],
})
export class SessionsModule {}
