import { Body, Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, CurrentCaller, PathResource } from '../access/access';
import { ClientSignal } from '../http/server/client-signal';
import { Created } from '../http/response/created';
import { NOT_OF_THE_FAMILY } from '../openapi/not-of-the-family';
import { Operation } from '../openapi/operation';
import { type AuditedCaller, type Caller } from '../access/caller';
import { AddUserDto } from './dto/add-user.dto';
import { UpdateUserDto } from './dto/update-user.dto';
import { UserAccountDto } from './dto/user-account.dto';
import { UserDto } from './dto/user.dto';
import { EVERYONE, RoleType } from '../access/role-type';
import { UserAccountsService } from './user-accounts.service';
import { UserAdministrationService } from './user-administration.service';
import { ActiveUserLoader, UserLoader, type UserResource } from './user.loader';
import { UsersService } from './users.service';

/** Operations on single users. The list is part of the projects module, because projects determine who may read it. */
@ApiTags('Users')
@Controller('users')
export class UsersController {
  constructor(
    private readonly users: UsersService,
    private readonly administration: UserAdministrationService,
    private readonly accounts: UserAccountsService,
  ) {}

  @Get('myself')
  @Operation({ summary: 'Get the caller', returns: UserDto })
  @Access({ roles: EVERYONE, needsNoScope: true })
  getMyself(@CurrentCaller() caller: Caller): Promise<UserDto> {
    return this.users.get(caller.id);
  }

  @Post()
  @Operation({
    summary: 'Add a user',
    description:
      'Only Administrators may do this. The user signs in on the page `/sign-in` with the login name and the password, and needs an API key for everything else.',
    returns: UserDto,
    creates: 'located',
    countLimit: 'user',
  })
  @Access({ roles: [RoleType.Administrator], needsRecentSignIn: true })
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
    description:
      'Includes users who have left, since they remain the authors of their content. Guests see only users with whom they share a project, without mail addresses; API keys limited to projects show only users of these.',
    returns: UserDto,
  })
  @Access({ roles: EVERYONE, resource: UserLoader })
  getUser(@PathResource() user: UserResource): Promise<UserDto> {
    return this.users.get(user.id);
  }

  @Get(':userId/account')
  @Operation({
    summary: "Get a user's account",
    description: `Only Administrators may do this. ${NOT_OF_THE_FAMILY}`,
    returns: UserAccountDto,
  })
  @Access({ roles: [RoleType.Administrator], resource: ActiveUserLoader })
  async getUserAccount(@PathResource() user: UserResource): Promise<UserAccountDto> {
    const { disabled, lastUsed } = await this.accounts.get(user.id);
    return { enabled: !disabled, lastUsed };
  }

  @Patch(':userId')
  @Operation({
    summary: 'Update a user',
    description:
      'Administrators may do this for any user, others only for themselves and without `roleType` and `enabled`. Both take effect immediately in this process, and within seconds in the others: all API keys of a user with `enabled` false are refused with 401, and work again after `enabled` is true. Keys with limits can neither change passwords nor make Administrators, and keys limited to projects change nothing here. The last Administrator with an API key without limits cannot lose the role or be disabled, and users cannot disable themselves. A user can change passwords 5 times a minute (configurable).',
    returns: UserDto,
    pathExamples: { userId: 2 },
  })
  @Access({
    roles: [RoleType.Administrator],
    resource: ActiveUserLoader,
    orOwner: true,
    beyondProjects: true,
    needsRecentSignIn: true,
  })
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
      'Only Administrators may do this, but not for themselves, and one Administrator with an API key without limits must remain. Removes API keys and memberships. A user who is referenced elsewhere, such as by a comment, is still shown there and by `GET /users/{userId}`.',
    returns: UserDto,
    pathExamples: { userId: 2 },
  })
  @Access({ roles: [RoleType.Administrator], resource: ActiveUserLoader, needsRecentSignIn: true })
  deleteUser(
    @CurrentAuditedCaller() caller: AuditedCaller,
    @PathResource() user: UserResource,
  ): Promise<UserDto> {
    return this.administration.remove(caller, user.id);
  }
}
