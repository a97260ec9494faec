import { Controller, Get, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Response } from 'express';
import { Access, type AuthorizedRequest, CurrentRequester, PathResource } from '../access/access';
import { EVERYONE } from '../access/role-type';
import { type Requester } from '../event-loop/user-turns';
import { PageErrorsFilter } from '../pages/page-errors.filter';
import { ProjectsService } from '../projects/projects.service';
import { WikiLoader, type WikiResource } from '../wikis/wiki.loader';
import { WikisService } from '../wikis/wikis.service';
import { ViewPagesService } from './view-pages.service';
import { WikiPage } from './wiki-page';

/** The page of a wiki page. */
@ApiExcludeController()
@UseFilters(PageErrorsFilter)
@Controller('alias/wiki')
export class WikiPageController {
  constructor(
    private readonly wikis: WikisService,
    private readonly projects: ProjectsService,
    private readonly pages: ViewPagesService,
  ) {}

  @Get(':wikiId')
  @Access({ roles: EVERYONE, resource: WikiLoader, page: true, needsNoScope: true })
  async showWiki(
    @PathResource() { id, projectId }: WikiResource,
    @CurrentRequester() requester: Requester,
    @Req() request: AuthorizedRequest,
    @Res() response: Response,
  ): Promise<void> {
    const project = await this.projects.get(projectId);
    const wiki = await this.wikis.get(id);
    const [content = ''] = await this.pages.format(requester, project, [wiki.content]);
    this.pages.send(
      response,
      <WikiPage
        view={this.pages.viewOf(request, project)}
        wiki={wiki}
        content={content}
        files={this.pages.apiPath(`/wikis/${id}/attachments`)}
      />,
    );
  }
}
