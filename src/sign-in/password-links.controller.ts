import { Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, PathResource } from '../access/access';
import { type AuditedCaller, hasLimitedKey } from '../access/caller';
import { RoleType } from '../access/role-type';
import { UnauthorizedOperationError } from '../errors/domain-errors';
import { NOT_OF_THE_FAMILY } from '../openapi/not-of-the-family';
import { Operation } from '../openapi/operation';
import { ActiveUserLoader, type UserResource } from '../users/user.loader';
import { PasswordLinkDto } from './dto/password-link.dto';
import { PasswordLinksService } from './password-links.service';

@ApiTags('Users')
@Controller('users/:userId/passwordLink')
export class PasswordLinksController {
  constructor(private readonly links: PasswordLinksService) {}

  @Post()
  @Operation({
    summary: 'Make a link to set a password',
    description: `The link works once, within a day, in place of the user's former one. With it, the user chooses a password and signs in; their other sessions end. Only Administrators may do this, and not with a key with limits. ${NOT_OF_THE_FAMILY}`,
    returns: PasswordLinkDto,
    creates: true,
    pathExamples: { userId: 2 },
  })
  @Access({
    roles: [RoleType.Administrator],
    resource: ActiveUserLoader,
    beyondProjects: true,
    needsRecentSignIn: true,
  })
  addPasswordLink(
    @CurrentAuditedCaller() caller: AuditedCaller,
    @PathResource() user: UserResource,
  ): Promise<PasswordLinkDto> {
    if (hasLimitedKey(caller)) {
      throw new UnauthorizedOperationError('A key with limits cannot set a password.');
    }
    return this.links.add(caller, user.id);
  }
}
