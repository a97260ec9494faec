import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller } from '../access/access';
import { Operation } from '../openapi/operation';
import { type Caller } from './caller';
import { UserDto } from './dto/user.dto';
import { EVERYONE } from './role-type';
import { UsersService } from './users.service';

@ApiTags('Users')
@Controller('users')
export class UsersController {
  constructor(private readonly users: UsersService) {}

  @Get('myself')
  @Operation({ summary: 'Get the user whose credential is used', returns: UserDto })
  @Access({ roles: EVERYONE })
  getMyself(@CurrentCaller() caller: Caller): Promise<UserDto> {
    return this.users.get(caller.id);
  }
}
