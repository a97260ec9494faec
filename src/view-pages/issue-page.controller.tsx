import { Controller, Get, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Response } from 'express';
import { Access, type AuthorizedRequest, CurrentRequester, PathResource } from '../access/access';
import { CONTRIBUTORS, EVERYONE } from '../access/role-type';
import { type Requester } from '../event-loop/user-turns';
import { IssueCommentsService } from '../issues/comments/issue-comments.service';
import { type WholeIssue } from '../issues/data/issue-lookup.repository';
import { WholeIssueLoader } from '../issues/issue.loader';
import { IssuesService } from '../issues/issues.service';
import { PageErrorsFilter } from '../pages/page-errors.filter';
import { ProjectsService } from '../projects/projects.service';
import { CommentsPageQuery } from './comments-page';
import { IssuePage } from './issue-page';
import { ViewPagesService } from './view-pages.service';

/** The page of an issue with its comments. */
@ApiExcludeController()
@UseFilters(PageErrorsFilter)
@Controller('view')
export class IssuePageController {
  constructor(
    private readonly issues: IssuesService,
    private readonly comments: IssueCommentsService,
    private readonly projects: ProjectsService,
    private readonly pages: ViewPagesService,
  ) {}

  @Get(':issueIdOrKey')
  @Access({ roles: EVERYONE, resource: WholeIssueLoader, page: true, needsNoScope: true })
  async showIssue(
    @PathResource() resource: WholeIssue,
    @Query() query: CommentsPageQuery,
    @CurrentRequester() requester: Requester,
    @Req() request: AuthorizedRequest,
    @Res() response: Response,
  ): Promise<void> {
    const project = await this.projects.get(resource.projectId);
    const issue = await this.issues.get(resource, false);
    const discussion = await this.pages.discussionOf(requester, project, issue.description, query, (page) =>
      this.comments.list(resource, page, requester),
    );
    this.pages.send(
      response,
      <IssuePage
        view={this.pages.viewOf(request, project)}
        issue={issue}
        {...discussion}
        files={
          CONTRIBUTORS.includes(request.caller.roleType)
            ? this.pages.apiPath(`/issues/${issue.id}/attachments`)
            : undefined
        }
      />,
    );
  }
}
