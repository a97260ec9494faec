import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { type AuthorizedRequest } from './access';
import { AccessGuard } from './access.guard';

/**
 * Asks the access guard again when the body has been read, if it came later than the head: a client can take minutes over it,
 * and may have lost its rights since. The usual body comes with the head.
 */
@Injectable()
export class LateBodyGuard implements CanActivate {
  constructor(private readonly access: AccessGuard) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { isEarly } = context.switchToHttp().getRequest<AuthorizedRequest>();
    return isEarly ? this.access.canActivate(context) : true;
  }
}
