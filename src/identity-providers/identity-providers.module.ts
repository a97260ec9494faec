import { Module } from '@nestjs/common';
import { AuditLogModule } from '../audit-log/audit-log.module';
import { SpaceModule } from '../space/space.module';
import { UsersModule } from '../users/users.module';
import { ProviderCheckService } from './client/provider-check.service';
import { ProviderClientsService } from './client/provider-clients.service';
import { IdentityProviderRepository } from './data/identity-provider.repository';
import { IdentityRepository } from './data/identity.repository';
import { IdentitiesController } from './identities.controller';
import { IdentitiesService } from './identities.service';
import { IdentityProviderLoader } from './identity-provider.loader';
import { IdentityProvidersController } from './identity-providers.controller';
import { IdentityProvidersService } from './identity-providers.service';
import { IdentityLoader } from './identity.loader';

/** Identity providers, and what users are there. */
@Module({
  imports: [UsersModule, SpaceModule, AuditLogModule],
  controllers: [IdentityProvidersController, IdentitiesController],
  providers: [
    IdentityProvidersService,
    IdentitiesService,
    ProviderClientsService,
    ProviderCheckService,
    IdentityProviderLoader,
    IdentityLoader,
    IdentityProviderRepository,
    IdentityRepository,
  ],
  exports: [
    IdentityProvidersService,
    IdentitiesService,
    ProviderClientsService,
    ProviderCheckService,
    IdentityProviderRepository,
    IdentityRepository,
  ],
})
export class IdentityProvidersModule {}
