import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../access/access';
import { Operation } from '../openapi/operation';
import { UserDto } from '../users/dto/user.dto';
import { RoleType } from '../access/role-type';
import { UsersService } from '../users/users.service';
import { AnyProjectLoader } from './any-project.loader';

/** Lists all users of the space. Belongs to this module because everyone who can add members to a project may list them. */
@ApiTags('Users')
@Controller('users')
export class AllUsersController {
  constructor(private readonly users: UsersService) {}

  @Get()
  @Operation({
    summary: 'List users',
    description:
      'All users of the space except those who have left, ordered by id. Only Administrators and project administrators may do this, and not with API keys limited to projects.',
    returns: [UserDto],
  })
  @Access({ roles: [RoleType.Administrator], resource: AnyProjectLoader, orProjectAdministrator: true })
  listUsers(): Promise<UserDto[]> {
    return this.users.list();
  }
}
