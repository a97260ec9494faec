import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, PathResource } from '../../access/access';
import { type Caller } from '../../access/caller';
import { CONTRIBUTORS, EVERYONE } from '../../access/role-type';
import { Operation } from '../../openapi/operation';
import { AddRelatedIssueDto, RelatedIssueDto } from '../dto/related-issue.dto';
import { IssueLoader, type IssueResource } from '../issue.loader';
import { RelatedIssueLoader, type RelatedIssueResource } from './related-issue.loader';
import { RelatedIssuesService } from './related-issues.service';

@ApiTags('Issues')
@Controller('issues/:issueIdOrKey/relatedIssues')
export class RelatedIssuesController {
  constructor(private readonly relations: RelatedIssuesService) {}

  @Get()
  @Operation({
    summary: 'List the issues that an issue is related to',
    description:
      'Relations apply in both directions. Only issues that the caller may see are listed, in the order in which they were related.',
    returns: [RelatedIssueDto],
  })
  @Access({ roles: EVERYONE, resource: IssueLoader })
  listRelatedIssues(
    @PathResource() issue: IssueResource,
    @CurrentCaller() caller: Caller,
  ): Promise<RelatedIssueDto[]> {
    return this.relations.list(issue, caller);
  }

  @Post()
  @Operation({
    summary: 'Relate an issue to another',
    description: `Each issue then lists the other. If they are already related, or are the same issue, nothing changes. Writes no activity
and notifies no users.`,
    returns: RelatedIssueDto,
    countLimit: 'relatedIssue',
  })
  @Access({ roles: CONTRIBUTORS, resource: IssueLoader })
  addRelatedIssue(
    @PathResource() issue: IssueResource,
    @CurrentCaller() caller: Caller,
    @Body() { targetIssueId }: AddRelatedIssueDto,
  ): Promise<RelatedIssueDto> {
    return this.relations.add(issue, caller, targetIssueId);
  }

  @Delete(':targetIssueId')
  @Operation({
    summary: 'Remove the relation between two issues',
    description: 'Removes the relation in both directions.',
    returns: RelatedIssueDto,
  })
  @Access({ roles: CONTRIBUTORS, resource: RelatedIssueLoader })
  deleteRelatedIssue(@PathResource() relation: RelatedIssueResource): Promise<RelatedIssueDto> {
    return this.relations.remove(relation);
  }
}
