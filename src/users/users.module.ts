import { Module } from '@nestjs/common';
import { Authenticator } from '../access/authenticator';
import { AuditLogModule } from '../audit-log/audit-log.module';
import { SpaceModule } from '../space/space.module';
import { AgentsService } from './agents.service';
import { ApiKeyAdministrationService } from './api-key-administration.service';
import { ApiKeyLoader } from './api-key.loader';
import { ApiKeysController } from './api-keys.controller';
import { ApiKeysService } from './api-keys.service';
import { AgentRepository } from './data/agent.repository';
import { ApiKeyRepository } from './data/api-key.repository';
import { UserRepository } from './data/user.repository';
import { KnownCallersService } from './known-callers.service';
import { LastAdministratorService } from './last-administrator.service';
import { PastChangesService } from './past-changes.service';
import { PasswordHasherService } from './passwords/password-hasher.service';
import { PasswordsService } from './passwords/passwords.service';
import { RevocationsService } from './revocations.service';
import { UsageService } from './usage.service';
import { UserAccountsService } from './user-accounts.service';
import { UserAdministrationService } from './user-administration.service';
import { ActiveUserLoader, UserLoader } from './user.loader';
import { UserVisibilityService } from './user-visibility.service';
import { UsersController } from './users.controller';
import { UsersService } from './users.service';
import { WaysInService } from './ways-in.service';

/** Users of the space and their API keys. */
@Module({
  imports: [SpaceModule, AuditLogModule],
  controllers: [UsersController, ApiKeysController],
  providers: [
    UserRepository,
    ApiKeyRepository,
    AgentRepository,
    UsersService,
    UserAccountsService,
    UserAdministrationService,
    LastAdministratorService,
    PasswordHasherService,
    PasswordsService,
    KnownCallersService,
    RevocationsService,
    WaysInService,
    UserVisibilityService,
    UserLoader,
    ActiveUserLoader,
    ApiKeysService,
    { provide: Authenticator, useExisting: ApiKeysService },
    ApiKeyAdministrationService,
    ApiKeyLoader,
    UsageService,
    AgentsService,
    PastChangesService,
  ],
  exports: [
    UsersService,
    UserAccountsService,
    UserAdministrationService,
    UserVisibilityService,
    ApiKeyAdministrationService,
    UserLoader,
    ActiveUserLoader,
    ApiKeysService,
    Authenticator,
    AgentsService,
    PasswordsService,
    KnownCallersService,
    RevocationsService,
    WaysInService,
    UsageService,
    PastChangesService,
  ],
})
export class UsersModule {}
