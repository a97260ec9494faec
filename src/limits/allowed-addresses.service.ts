import { Injectable } from '@nestjs/common';
import { type NextFunction, type Request, type Response } from 'express';
import { AddressRanges } from '../config/address-ranges';
import { Environment } from '../config/environment';
import { AccessDeniedError } from '../errors/domain-errors';
import { forwardedAddress } from '../http/request/client-address';

/** Health checks come from the platform that runs the service, and reveal none of its data. */
const OPEN_TO_ALL = /^\/health\/(live|ready)\/?(\?|$)/;

/** Refuses clients whose addresses are not in `ALLOWED_ADDRESSES`, before any other handling. */
@Injectable()
export class AllowedAddressesService {
  private readonly ranges: AddressRanges;

  constructor(environment: Environment) {
    this.ranges = new AddressRanges(environment.ALLOWED_ADDRESSES);
  }

  /** Express middleware, used only when addresses are restricted. */
  readonly use = (request: Request, _response: Response, next: NextFunction): void => {
    const address = forwardedAddress(request);
    const isAllowed = address !== undefined && this.ranges.includes(address);
    if (isAllowed || OPEN_TO_ALL.test(request.originalUrl)) next();
    else next(new AccessDeniedError());
  };
}
