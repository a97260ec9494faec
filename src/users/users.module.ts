import { Module } from '@nestjs/common';
import { SpaceModule } from '../space/space.module';
import { ApiKeyAdministrationService } from './api-key-administration.service';
import { ApiKeyResolver } from './api-key.resolver';
import { ApiKeysController } from './api-keys.controller';
import { ApiKeysService } from './api-keys.service';
import { LastAdministratorService } from './last-administrator.service';
import { PasswordHasherService } from './password-hasher.service';
import { UsageService } from './usage.service';
import { UserAdministrationService } from './user-administration.service';
import { ActiveUserResolver, UserResolver } from './user.resolver';
import { UsersController } from './users.controller';
import { UsersService } from './users.service';

/** Users of the space and the API keys they call with. */
@Module({
  imports: [SpaceModule],
  controllers: [UsersController, ApiKeysController],
  providers: [
    UsersService,
    UserAdministrationService,
    LastAdministratorService,
    PasswordHasherService,
    UserResolver,
    ActiveUserResolver,
    ApiKeysService,
    ApiKeyAdministrationService,
    ApiKeyResolver,
    UsageService,
  ],
  exports: [UsersService, UserAdministrationService, UserResolver, ActiveUserResolver, ApiKeysService],
})
export class UsersModule {}
