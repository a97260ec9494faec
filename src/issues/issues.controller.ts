import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  Access,
  type AuthorizedSearcher,
  CurrentAuditedCaller,
  CurrentCaller,
  CurrentSearcher,
  PathResource,
} from '../access/access';
import { FiltersInBody } from '../http/request/filters-in-body';
import { Created } from '../http/response/created';
import { CountDto } from '../http/response/count.dto';
import { type Page } from '../paging/page';
import { CountsAs } from '../limits/rate-class';
import { selectFields } from '../http/request/selected-fields';
import { Operation } from '../openapi/operation';
import { type AuditedCaller, type Caller } from '../access/caller';
import { CONTRIBUTORS, DEVELOPERS, EVERYONE, RoleType } from '../access/role-type';
import { ViewKind } from '../views/view-kind';
import { ViewsService } from '../views/views.service';
import { AddIssueDto } from './dto/add-issue.dto';
import { GetIssueQuery, ListIssuesQuery } from './dto/issue-queries.dto';
import { IssueDto } from './dto/issue.dto';
import { UpdateIssueDto } from './dto/update-issue.dto';
import { issuePath } from './issue.mapper';
import { IssueSearchService } from './search/issue-search.service';
import { IssueUpdateService } from './changes/issue-update.service';
import { type WholeIssue } from './data/issue-lookup.repository';
import { IssueLoader, type IssueResource, WholeIssueLoader } from './issue.loader';
import { IssuesService } from './issues.service';

@ApiTags('Issues')
@Controller('issues')
export class IssuesController {
  constructor(
    private readonly issues: IssuesService,
    private readonly updates: IssueUpdateService,
    private readonly searches: IssueSearchService,
    private readonly views: ViewsService,
  ) {}

  @Get()
  @Operation({
    summary: 'List issues',
    description: `Issues of the given projects, or of all projects that the caller may see. An issue matches a filter if it has
any of the given values, and is listed if it matches all filters.

\`keyword\` searches summaries, descriptions and comments for each of its words. An index finds rare words quickly. Where it
does not help, the time of a search is proportional to the amount of text in the searched projects.

The parameters may be sent as a form body (\`application/x-www-form-urlencoded\`) instead of the query string.`,
    returns: [IssueDto],
  })
  @Access({ roles: EVERYONE })
  @FiltersInBody()
  @CountsAs('search')
  async listIssues(
    @CurrentCaller() caller: Caller,
    @Query() query: ListIssuesQuery,
    @CurrentSearcher() searcher: AuthorizedSearcher,
  ): Promise<Page<IssueDto>> {
    return selectFields(await this.searches.list(caller, query, searcher), query.fields);
  }

  @Get('count')
  @Operation({
    summary: 'Count issues',
    description:
      'Accepts the parameters of the list, also as a form body, and counts the issues on all of its pages.',
    returns: CountDto,
  })
  @Access({ roles: EVERYONE })
  @FiltersInBody()
  @CountsAs('search')
  countIssues(
    @CurrentCaller() caller: Caller,
    @Query() query: ListIssuesQuery,
    @CurrentSearcher() searcher: AuthorizedSearcher,
  ): Promise<CountDto> {
    return this.searches.count(caller, query, searcher);
  }

  @Post()
  @Operation({
    summary: 'Add an issue',
    description: `The issue gets the next number of its project and the status Open. Notifies the assignee (unless that is the caller), the
named users and those mentioned in the description, each once. Attaches the given uploads. Writes activity 1.`,
    returns: IssueDto,
    creates: 'located',
    countLimit: ['issue', 'attachedFile'],
  })
  @Access({ roles: CONTRIBUTORS })
  async addIssue(@CurrentCaller() caller: Caller, @Body() body: AddIssueDto): Promise<Created<IssueDto>> {
    const issue = await this.issues.create(caller, body);
    return new Created(issue, issuePath(issue.issueKey));
  }

  @Get(':issueIdOrKey')
  @Operation({ summary: 'Get an issue', returns: IssueDto })
  @Access({ roles: EVERYONE, resource: WholeIssueLoader })
  async getIssue(
    @PathResource() issue: WholeIssue,
    @CurrentCaller() caller: Caller,
    @Query() { expand, fields }: GetIssueQuery,
  ): Promise<IssueDto> {
    this.views.note(caller, ViewKind.Issue, issue);
    return selectFields(await this.issues.get(issue, expand.includes('childIssueSummary')), fields);
  }

  @Patch(':issueIdOrKey')
  @Operation({
    summary: 'Update an issue',
    description: `Omitted fields are unchanged; \`null\`, or nothing after the \`=\` of a form, clears a field that can be empty.
Records all changes in a single comment on the issue. Notifies a new assignee, the named users and those mentioned in
the comment.
Writes activity 2, or 3 if there is only a comment or a file. An update without a change and without a comment is rejected.`,
    returns: IssueDto,
    countLimit: 'attachedFile',
  })
  @Access({ roles: DEVELOPERS, resource: IssueLoader })
  updateIssue(
    @PathResource() issue: IssueResource,
    @CurrentCaller() caller: Caller,
    @Body() body: UpdateIssueDto,
  ): Promise<IssueDto> {
    return this.updates.update(issue, caller, body);
  }

  @Delete(':issueIdOrKey')
  @Operation({
    summary: 'Delete an issue',
    description: `Deletes the issue with its comments and files. Child issues are kept, without a parent. The number is not reused.
Only Administrators and administrators of the project may do this. Writes activity 4.`,
    returns: IssueDto,
  })
  @Access({ roles: [RoleType.Administrator], resource: IssueLoader, orProjectAdministrator: true })
  deleteIssue(
    @PathResource() issue: IssueResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
  ): Promise<IssueDto> {
    return this.issues.delete(issue, caller);
  }
}
