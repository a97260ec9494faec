import { Controller, Delete } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, PathResource } from '../../access/access';
import { type AuditedCaller, hasLimitedKey } from '../../access/caller';
import { RoleType } from '../../access/role-type';
import { UnauthorizedOperationError } from '../../errors/domain-errors';
import { NOT_OF_THE_FAMILY } from '../../openapi/not-of-the-family';
import { Operation } from '../../openapi/operation';
import { type UserResource } from '../../users/user.loader';
import { PasskeyDto } from '../dto/passkey.dto';
import { PasskeyLoader } from './passkey.loader';
import { PasskeysService } from './passkeys.service';

@ApiTags('Users')
@Controller('users/:userId/passkeys')
export class PasskeysController {
  constructor(private readonly passkeys: PasskeysService) {}

  @Delete(':passkeyId')
  @Operation({
    summary: 'Remove a passkey of a user',
    description: `The user can no longer sign in with it; their other second factors remain. With the last one, the recovery codes are removed, and the password then suffices to sign in. Administrators may do this for any user, others only for themselves, and no one with a key with limits. ${NOT_OF_THE_FAMILY}`,
    returns: PasskeyDto,
  })
  @Access({
    roles: [RoleType.Administrator],
    resource: PasskeyLoader,
    orOwner: true,
    beyondProjects: true,
    needsRecentSignIn: true,
  })
  deletePasskey(
    @CurrentAuditedCaller() caller: AuditedCaller,
    @PathResource() passkey: UserResource,
  ): Promise<PasskeyDto> {
    if (hasLimitedKey(caller)) {
      throw new UnauthorizedOperationError('A key with limits cannot remove a passkey.');
    }
    return this.passkeys.remove(caller, passkey.ownerId, passkey.id);
  }
}
