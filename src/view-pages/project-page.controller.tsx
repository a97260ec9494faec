import { Controller, Get, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Response } from 'express';
import {
  Access,
  type AuthorizedRequest,
  type AuthorizedSearcher,
  CurrentSearcher,
  PathResource,
} from '../access/access';
import { EVERYONE } from '../access/role-type';
import { IntegerField } from '../http/request/fields';
import { ListIssuesQuery } from '../issues/dto/issue-queries.dto';
import { IssueSearchService } from '../issues/search/issue-search.service';
import { CountsAs } from '../limits/rate-class';
import { PageErrorsFilter } from '../pages/page-errors.filter';
import { StandardStatus } from '../project-settings/standard-status';
import { StatusesService } from '../project-settings/statuses.service';
import { ProjectsService, type VisibleProject } from '../projects/projects.service';
import { ProjectPageLoader } from './project-page.loader';
import { ProjectPage } from './project-page';
import { ViewPagesService } from './view-pages.service';

/** Number of issues on a page. */
const ISSUES_AT_ONCE = 100;

/** The issues to show. */
export class ProjectPageQuery {
  @IntegerField({
    description: 'Number of issues to skip.',
    min: 0,
    max: 2 ** 31 - 1,
    default: 0,
    optional: true,
  })
  readonly offset: number = 0;
}

/** The page of a project, with its open issues. */
@ApiExcludeController()
@UseFilters(PageErrorsFilter)
@Controller('projects')
export class ProjectPageController {
  constructor(
    private readonly projects: ProjectsService,
    private readonly statuses: StatusesService,
    private readonly searches: IssueSearchService,
    private readonly pages: ViewPagesService,
  ) {}

  @Get(':projectKey')
  @Access({ roles: EVERYONE, resource: ProjectPageLoader, page: true, needsNoScope: true })
  @CountsAs('search')
  async showProject(
    @PathResource() { id }: VisibleProject,
    @Query() { offset }: ProjectPageQuery,
    @CurrentSearcher() searcher: AuthorizedSearcher,
    @Req() request: AuthorizedRequest,
    @Res() response: Response,
  ): Promise<void> {
    const project = await this.projects.get(id);
    const statuses = await this.statuses.list(id);
    const open = statuses.filter((status) => status.id !== (StandardStatus.Closed as number));
    const query = Object.assign(new ListIssuesQuery(), {
      projectId: [id],
      statusId: open.map((status) => status.id),
      sort: 'updated',
      count: ISSUES_AT_ONCE,
      offset,
    });
    const { items, next } = await this.searches.listLines(request.caller, query, searcher);
    this.pages.send(
      response,
      <ProjectPage
        view={this.pages.viewOf(request, project)}
        project={project}
        issues={items}
        previous={offset > 0 ? `?offset=${Math.max(0, offset - ISSUES_AT_ONCE)}` : undefined}
        next={next && `?offset=${offset + ISSUES_AT_ONCE}`}
      />,
    );
  }
}
