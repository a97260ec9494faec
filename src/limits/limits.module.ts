import { Global, Module } from '@nestjs/common';
import { AddressLimitsService } from './address-limits.service';
import { UserRequestsService } from './user-requests.service';

/** Limits on the requests of one address or one user. */
@Global()
@Module({
  providers: [AddressLimitsService, UserRequestsService],
  exports: [AddressLimitsService, UserRequestsService],
})
export class LimitsModule {}
