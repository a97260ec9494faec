import { Controller, Delete, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, CurrentCaller, PathResource } from '../access/access';
import { type AuditedCaller, type Caller } from '../access/caller';
import { RoleType } from '../access/role-type';
import { NOT_OF_THE_FAMILY } from '../openapi/not-of-the-family';
import { Operation } from '../openapi/operation';
import { ActiveUserLoader, type UserResource } from '../users/user.loader';
import { SessionDto } from './dto/session.dto';
import { SessionLoader } from './session.loader';
import { SessionsService } from './sessions.service';

const PERMISSION_NOTE = `Administrators may do this for any user, others only for themselves. ${NOT_OF_THE_FAMILY}`;

@ApiTags('Users')
@Controller('users/:userId/sessions')
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @Get()
  @Operation({
    summary: 'List the sessions of a user',
    description: `The browsers in which the user has signed in, the last used first; at most 50. ${PERMISSION_NOTE}`,
    returns: [SessionDto],
  })
  @Access({
    roles: [RoleType.Administrator],
    resource: ActiveUserLoader,
    orOwner: true,
    beyondProjects: true,
  })
  listSessions(@CurrentCaller() caller: Caller, @PathResource() user: UserResource): Promise<SessionDto[]> {
    return this.sessions.list(user.id, caller);
  }

  @Delete()
  @Operation({
    summary: 'End the sessions of a user',
    description: `Ends all of them except for the one in which the request is made, and returns them. They stop working immediately in this process, and within 5 seconds in the others. ${PERMISSION_NOTE}`,
    returns: [SessionDto],
  })
  @Access({
    roles: [RoleType.Administrator],
    resource: ActiveUserLoader,
    orOwner: true,
    beyondProjects: true,
  })
  deleteSessions(
    @CurrentAuditedCaller() caller: AuditedCaller,
    @PathResource() user: UserResource,
  ): Promise<SessionDto[]> {
    return this.sessions.endOthers(caller, user.id);
  }

  @Delete(':sessionId')
  @Operation({
    summary: 'End a session',
    description: `The session stops working immediately in this process, and within 5 seconds in the others. ${PERMISSION_NOTE}`,
    returns: SessionDto,
  })
  @Access({ roles: [RoleType.Administrator], resource: SessionLoader, orOwner: true, beyondProjects: true })
  deleteSession(
    @CurrentAuditedCaller() caller: AuditedCaller,
    @PathResource() session: UserResource,
  ): Promise<SessionDto> {
    return this.sessions.end(caller, session.ownerId, session.id);
  }
}
