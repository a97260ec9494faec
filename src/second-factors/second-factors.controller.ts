import { Controller, Delete, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, PathResource } from '../access/access';
import { type AuditedCaller, hasLimitedKey } from '../access/caller';
import { RoleType } from '../access/role-type';
import { UnauthorizedOperationError } from '../errors/domain-errors';
import { NOT_OF_THE_FAMILY } from '../openapi/not-of-the-family';
import { Operation } from '../openapi/operation';
import { ActiveUserLoader, type UserResource } from '../users/user.loader';
import { SecondFactorsDto } from './dto/second-factors.dto';
import { SecondFactorsService } from './second-factors.service';

const PERMISSION_NOTE = 'Administrators may do this for any user, others only for themselves';

@ApiTags('Users')
@Controller('users/:userId/secondFactors')
export class SecondFactorsController {
  constructor(private readonly factors: SecondFactorsService) {}

  @Get()
  @Operation({
    summary: 'Get the second factors of a user',
    description: `What the user needs to sign in besides the password. ${PERMISSION_NOTE}. ${NOT_OF_THE_FAMILY}`,
    returns: SecondFactorsDto,
  })
  @Access({
    roles: [RoleType.Administrator],
    resource: ActiveUserLoader,
    orOwner: true,
    beyondProjects: true,
  })
  getSecondFactors(@PathResource() user: UserResource): Promise<SecondFactorsDto> {
    return this.factors.get(user.id);
  }

  @Delete()
  @Operation({
    summary: 'Remove the second factors of a user',
    description: `Removes the authenticator app, the passkeys and the recovery codes, if there are any, and returns them; the password then suffices to sign in. ${PERMISSION_NOTE}, and no one with a key with limits. ${NOT_OF_THE_FAMILY}`,
    returns: SecondFactorsDto,
  })
  @Access({
    roles: [RoleType.Administrator],
    resource: ActiveUserLoader,
    orOwner: true,
    beyondProjects: true,
    needsRecentSignIn: true,
  })
  deleteSecondFactors(
    @CurrentAuditedCaller() caller: AuditedCaller,
    @PathResource() user: UserResource,
  ): Promise<SecondFactorsDto> {
    if (hasLimitedKey(caller)) {
      throw new UnauthorizedOperationError('A key with limits cannot remove a second factor.');
    }
    return this.factors.remove(caller, user.id);
  }
}
