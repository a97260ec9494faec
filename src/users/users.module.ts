import { Module } from '@nestjs/common';
import { ApiKeysService } from './api-keys.service';
import { UsersController } from './users.controller';
import { UsersService } from './users.service';

/** Users of the space and the API keys they call with. */
@Module({
  controllers: [UsersController],
  providers: [UsersService, ApiKeysService],
  exports: [UsersService, ApiKeysService],
})
export class UsersModule {}
