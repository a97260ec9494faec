import { Global, Module } from '@nestjs/common';
import { AddressLimitsService } from './address-limits.service';
import { UserRequestsService } from './user-requests.service';

/** How much one address or one user may ask of the service at once. */
@Global()
@Module({
  providers: [AddressLimitsService, UserRequestsService],
  exports: [AddressLimitsService, UserRequestsService],
})
export class LimitsModule {}
