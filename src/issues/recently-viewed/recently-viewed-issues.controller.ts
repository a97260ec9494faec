import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller } from '../../access/access';
import { type Caller } from '../../access/caller';
import { EVERYONE } from '../../access/role-type';
import { OffsetPageQuery } from '../../http/request/page-query';
import { Operation } from '../../openapi/operation';
import { type Page } from '../../paging/page';
import { IssueDto } from '../dto/issue.dto';
import { RecentlyViewedIssueDto } from '../dto/recently-viewed-issue.dto';
import { NamedIssueDto } from '../dto/watching-requests.dto';
import { RecentlyViewedIssuesService } from './recently-viewed-issues.service';

@ApiTags('Recently viewed')
@Controller('users/myself/recentlyViewedIssues')
export class RecentlyViewedIssuesController {
  constructor(private readonly recent: RecentlyViewedIssuesService) {}

  @Get()
  @Operation({
    summary: 'List the issues recently viewed by the caller',
    description: `The last 100 issues at most, only those that the caller may still see, most recent first unless \`order\` is \`asc\`.
\`GET /issues/{issueIdOrKey}\` counts as a view.`,
    returns: [RecentlyViewedIssueDto],
  })
  @Access({ roles: EVERYONE })
  listRecentlyViewedIssues(
    @CurrentCaller() caller: Caller,
    @Query() query: OffsetPageQuery,
  ): Promise<Page<RecentlyViewedIssueDto>> {
    return this.recent.list(caller, query);
  }

  @Post()
  @Operation({ summary: 'Record a view of an issue by the caller', returns: IssueDto })
  @Access({ roles: EVERYONE })
  addRecentlyViewedIssue(
    @CurrentCaller() caller: Caller,
    @Body() { issueIdOrKey }: NamedIssueDto,
  ): Promise<IssueDto> {
    return this.recent.add(caller, issueIdOrKey);
  }
}
