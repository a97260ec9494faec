import { Body, Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, CurrentCaller, PathResource } from '../access/access';
import { ClientSignal } from '../http/server/client-signal';
import { Created } from '../http/response/created';
import { Operation } from '../openapi/operation';
import { type AuditedCaller, type Caller } from '../access/caller';
import { AddUserDto } from './dto/add-user.dto';
import { UpdateUserDto } from './dto/update-user.dto';
import { UserDto } from './dto/user.dto';
import { EVERYONE, RoleType } from '../access/role-type';
import { UserAdministrationService } from './user-administration.service';
import { ActiveUserLoader, UserLoader, type UserResource } from './user.loader';
import { UsersService } from './users.service';

/** Operations on single users. The list is part of the projects module, because projects decide who may read it. */
@ApiTags('Users')
@Controller('users')
export class UsersController {
  constructor(
    private readonly users: UsersService,
    private readonly administration: UserAdministrationService,
  ) {}

  @Get('myself')
  @Operation({ summary: 'Get the user whose credential is used', returns: UserDto })
  @Access({ roles: EVERYONE })
  getMyself(@CurrentCaller() caller: Caller): Promise<UserDto> {
    return this.users.get(caller.id);
  }

  @Post()
  @Operation({
    summary: 'Add a user',
    description: 'Administrators may. Without an API key the user cannot do anything yet.',
    returns: UserDto,
    creates: 'located',
    countLimit: 'user',
  })
  @Access({ roles: [RoleType.Administrator] })
  async addUser(
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() body: AddUserDto,
    @ClientSignal() gone: AbortSignal,
  ): Promise<Created<UserDto>> {
    const user = await this.administration.add(caller, body, gone);
    return new Created(user, `/user/${user.id}`);
  }

  @Get(':userId')
  @Operation({
    summary: 'Get a user',
    description: 'Also one who has left: what they wrote stays, and they are its author.',
    returns: UserDto,
  })
  @Access({ roles: EVERYONE, resource: UserLoader })
  getUser(@PathResource() user: UserResource): Promise<UserDto> {
    return this.users.get(user.id);
  }

  @Patch(':userId')
  @Operation({
    summary: 'Update a user',
    description:
      'Administrators may, and everybody themself but for `roleType`. A new role holds at once here and within ' +
      'seconds in every process. The last Administrator with an API key has to stay one. Passwords can be changed ' +
      '5 times a minute by one user, unless the service is set up otherwise.',
    returns: UserDto,
    pathExamples: { userId: 2 },
  })
  @Access({ roles: [RoleType.Administrator], resource: ActiveUserLoader, orOwner: true })
  updateUser(
    @CurrentAuditedCaller() caller: AuditedCaller,
    @PathResource() user: UserResource,
    @Body() body: UpdateUserDto,
    @ClientSignal() gone: AbortSignal,
  ): Promise<UserDto> {
    return this.administration.update(caller, user.id, body, gone);
  }

  @Delete(':userId')
  @Operation({
    summary: 'Remove a user',
    description:
      'Administrators may, but not themselves, and one Administrator with an API key has to stay. API keys and memberships end. A ' +
      'user whom anything else names, such as a comment, is still shown there and by `GET /users/{userId}`.',
    returns: UserDto,
    pathExamples: { userId: 2 },
  })
  @Access({ roles: [RoleType.Administrator], resource: ActiveUserLoader })
  deleteUser(
    @CurrentAuditedCaller() caller: AuditedCaller,
    @PathResource() user: UserResource,
  ): Promise<UserDto> {
    return this.administration.remove(caller, user.id);
  }
}
