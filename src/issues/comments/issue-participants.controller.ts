import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, PathResource } from '../../access/access';
import { Operation } from '../../openapi/operation';
import { UserDto } from '../../users/dto/user.dto';
import { EVERYONE } from '../../access/role-type';
import { grouped } from '../../quantities';
import { IssueParticipantsService, MAX_PARTICIPANTS } from './issue-participants.service';
import { IssueLoader, type IssueResource } from '../issue.loader';

@ApiTags('Issues')
@Controller('issues/:issueIdOrKey/participants')
export class IssueParticipantsController {
  constructor(private readonly participants: IssueParticipantsService) {}

  @Get()
  @Operation({
    summary: 'List the participants of an issue',
    description: `The users who added the issue, are assigned to it or have commented on it, ordered by id; at most ${grouped(MAX_PARTICIPANTS)}.`,
    returns: [UserDto],
  })
  @Access({ roles: EVERYONE, resource: IssueLoader })
  listIssueParticipants(@PathResource() issue: IssueResource): Promise<UserDto[]> {
    return this.participants.list(issue);
  }
}
