import { Controller, Get, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Response } from 'express';
import { Access, type AuthorizedRequest, CurrentRequester, PathResource } from '../access/access';
import { DEVELOPERS } from '../access/role-type';
import { type Requester } from '../event-loop/user-turns';
import { PageErrorsFilter } from '../pages/page-errors.filter';
import { ProjectsService } from '../projects/projects.service';
import { PullRequestCommentsService } from '../pull-requests/comments/pull-request-comments.service';
import { PullRequestReaderService } from '../pull-requests/pull-request-reader.service';
import { PullRequestLoader, type PullRequestResource } from '../pull-requests/pull-request.loader';
import { CommentsPageQuery } from './comments-page';
import { PullRequestPage } from './pull-request-page';
import { ViewPagesService } from './view-pages.service';

/** The page of a pull request with its comments. */
@ApiExcludeController()
@UseFilters(PageErrorsFilter)
@Controller('git/:projectIdOrKey/:repoIdOrName/pullRequests')
export class PullRequestPageController {
  constructor(
    private readonly pullRequests: PullRequestReaderService,
    private readonly comments: PullRequestCommentsService,
    private readonly projects: ProjectsService,
    private readonly pages: ViewPagesService,
  ) {}

  @Get(':number')
  @Access({ roles: DEVELOPERS, resource: PullRequestLoader, page: true, needsNoScope: true })
  async showPullRequest(
    @PathResource() resource: PullRequestResource,
    @Query() query: CommentsPageQuery,
    @CurrentRequester() requester: Requester,
    @Req() request: AuthorizedRequest,
    @Res() response: Response,
  ): Promise<void> {
    const project = await this.projects.get(resource.projectId);
    const pullRequest = await this.pullRequests.get(resource.id);
    const discussion = await this.pages.discussionOf(
      requester,
      project,
      pullRequest.description,
      query,
      (page) => this.comments.list(resource, page, requester),
    );
    const { projectId, repositoryId, number } = pullRequest;
    const path = `/projects/${projectId}/git/repositories/${repositoryId}/pullRequests/${number}`;
    this.pages.send(
      response,
      <PullRequestPage
        view={this.pages.viewOf(request, project)}
        pullRequest={pullRequest}
        {...discussion}
        files={this.pages.apiPath(`${path}/attachments`)}
      />,
    );
  }
}
