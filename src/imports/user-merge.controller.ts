import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, PathResource } from '../access/access';
import { type AuditedCaller } from '../access/caller';
import { RoleType } from '../access/role-type';
import { NOT_OF_THE_FAMILY } from '../openapi/not-of-the-family';
import { Operation } from '../openapi/operation';
import { UserDto } from '../users/dto/user.dto';
import { ActiveUserLoader, type UserResource } from '../users/user.loader';
import { MergeUserDto } from './dto/merge-user.dto';
import { unfinishedError, UserMergeService } from './user-merge.service';

@ApiTags('Users')
@Controller('users/:userId/merge')
export class UserMergeController {
  constructor(private readonly merges: UserMergeService) {}

  @Post()
  @Operation({
    summary: 'Join a placeholder to a user',
    description: `A placeholder is a user whom an import has added for a person that it did not find. Everything that refers to them refers to the user afterwards, and they are removed. This reads all contents of the space, and may take minutes. Only Administrators may do this. ${NOT_OF_THE_FAMILY}`,
    returns: UserDto,
    conflicts: [unfinishedError()],
  })
  @Access({
    roles: [RoleType.Administrator],
    resource: ActiveUserLoader,
    beyondProjects: true,
    needsRecentSignIn: true,
  })
  mergeUser(
    @PathResource() { id }: UserResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() { intoUserId }: MergeUserDto,
  ): Promise<UserDto> {
    return this.merges.merge(caller, id, intoUserId);
  }
}
