import { Controller, Delete, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, PathResource } from '../access/access';
import { type AuditedCaller, hasLimitedKey } from '../access/caller';
import { RoleType } from '../access/role-type';
import { UnauthorizedOperationError } from '../errors/domain-errors';
import { NOT_OF_THE_FAMILY } from '../openapi/not-of-the-family';
import { Operation } from '../openapi/operation';
import { ActiveUserLoader, type UserResource } from '../users/user.loader';
import { IdentityDto } from './dto/identity.dto';
import { IdentitiesService } from './identities.service';
import { IdentityLoader } from './identity.loader';

const PERMISSION_NOTE = 'Administrators may do this for any user, others only for themselves';

@ApiTags('Users')
@Controller('users/:userId/identities')
export class IdentitiesController {
  constructor(private readonly identities: IdentitiesService) {}

  @Get()
  @Operation({
    summary: 'List the identities of a user',
    description: `What the user is at identity providers, at most one at each. ${PERMISSION_NOTE}. ${NOT_OF_THE_FAMILY}`,
    returns: [IdentityDto],
  })
  @Access({
    roles: [RoleType.Administrator],
    resource: ActiveUserLoader,
    orOwner: true,
    beyondProjects: true,
  })
  listIdentities(@PathResource() user: UserResource): Promise<IdentityDto[]> {
    return this.identities.list(user.id);
  }

  @Delete(':identityId')
  @Operation({
    summary: 'Disconnect an identity of a user',
    description: `The person cannot sign in with it any more, and the user's other sessions end. Users cannot disconnect what they need to sign in. ${PERMISSION_NOTE}, and no one with a key with limits. ${NOT_OF_THE_FAMILY}`,
    returns: IdentityDto,
  })
  @Access({
    roles: [RoleType.Administrator],
    resource: IdentityLoader,
    orOwner: true,
    beyondProjects: true,
    needsRecentSignIn: true,
  })
  deleteIdentity(
    @CurrentAuditedCaller() caller: AuditedCaller,
    @PathResource() identity: UserResource,
  ): Promise<IdentityDto> {
    if (hasLimitedKey(caller)) {
      throw new UnauthorizedOperationError('A key with limits cannot disconnect an identity.');
    }
    return this.identities.disconnect(caller, identity.ownerId, identity.id);
  }
}
