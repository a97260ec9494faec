import { Global, Module } from '@nestjs/common';
import { AddressLimitsService } from './address-limits.service';
import { AllowedAddressesService } from './allowed-addresses.service';
import { CountLimitsService } from './count-limits.service';
import { RedisRates } from './redis-rates';
import { RequestRatesService } from './request-rates.service';
import { UserConnectionsService } from './user-connections.service';
import { UserRequestsService } from './user-requests.service';

const SERVICES = [
  AddressLimitsService,
  AllowedAddressesService,
  CountLimitsService,
  RequestRatesService,
  UserConnectionsService,
  UserRequestsService,
];

/** Limits on the requests of an address or a user, and on numbers of entities. */
@Global()
@Module({ providers: [...SERVICES, RedisRates], exports: SERVICES })
export class LimitsModule {}
