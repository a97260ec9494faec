import { Controller, Delete, Get, Put, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, PathResource } from '../access/access';
import { type Caller } from '../access/caller';
import { EVERYONE, RoleType } from '../access/role-type';
import { type ReadRequest } from '../http/request/request-reader.guard';
import { type FileAnswer } from '../http/response/file-answer';
import { CountsAs } from '../limits/rate-class';
import { NOT_OF_THE_FAMILY } from '../openapi/not-of-the-family';
import { Operation } from '../openapi/operation';
import { ActiveUserLoader, UserLoader, type UserResource } from '../users/user.loader';
import { ICON_LIMITS, TakesIcon } from './icon-upload';
import { IconsService } from './icons.service';
import { UserIconSubject } from './subjects/user-icon.subject';

const CHANGE = {
  roles: [RoleType.Administrator],
  resource: ActiveUserLoader,
  orOwner: true,
  beyondProjects: true,
} as const;

@ApiTags('Users')
@Controller('users/:userId/icon')
export class UserIconController {
  constructor(
    private readonly icons: IconsService,
    private readonly subject: UserIconSubject,
  ) {}

  @Get()
  @Operation({
    summary: 'Get the icon of a user',
    description: 'Returns the uploaded icon, or a generated one.',
    returns: 'image',
  })
  @Access({ roles: EVERYONE, resource: UserLoader })
  @CountsAs('icon')
  getUserIcon(@PathResource() { id }: UserResource): Promise<FileAnswer> {
    return this.icons.get(this.subject, id);
  }

  @Put()
  @Operation({
    summary: 'Upload the icon of a user',
    description: `Administrators may do this for any user, others only for themselves. ${ICON_LIMITS}`,
    returns: 'nothing',
    countLimit: 'unattachedFile',
  })
  @TakesIcon()
  @Access(CHANGE)
  updateUserIcon(
    @Req() request: ReadRequest,
    @CurrentCaller() caller: Caller,
    @PathResource() { id }: UserResource,
  ): Promise<void> {
    return this.icons.update(request, caller, this.subject, id);
  }

  @Delete()
  @Operation({
    summary: 'Remove the uploaded icon of a user',
    description: `Restores the generated icon. Administrators may do this for any user, others only for themselves. ${NOT_OF_THE_FAMILY}`,
    returns: 'nothing',
  })
  @Access(CHANGE)
  deleteUserIcon(@PathResource() { id }: UserResource): Promise<void> {
    return this.icons.remove(this.subject, id);
  }
}
