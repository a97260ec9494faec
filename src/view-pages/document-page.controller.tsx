import { Controller, Get, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Response } from 'express';
import { Access, type AuthorizedRequest, CurrentRequester, PathResource } from '../access/access';
import { EVERYONE } from '../access/role-type';
import { type DocumentResource } from '../documents/document-resource';
import { DocumentLoader } from '../documents/document.loader';
import { DocumentsService } from '../documents/documents.service';
import { type Requester } from '../event-loop/user-turns';
import { PageErrorsFilter } from '../pages/page-errors.filter';
import { ProjectsService } from '../projects/projects.service';
import { DocumentPage } from './document-page';
import { ViewPagesService } from './view-pages.service';

/** The page of a document. Its id alone identifies it, so that old links still work when the key of the project changes. */
@ApiExcludeController()
@UseFilters(PageErrorsFilter)
@Controller('document/:projectKey')
export class DocumentPageController {
  constructor(
    private readonly documents: DocumentsService,
    private readonly projects: ProjectsService,
    private readonly pages: ViewPagesService,
  ) {}

  @Get(':documentId')
  @Access({ roles: EVERYONE, resource: DocumentLoader, page: true, needsNoScope: true })
  async showDocument(
    @PathResource() resource: DocumentResource,
    @CurrentRequester() requester: Requester,
    @Req() request: AuthorizedRequest,
    @Res() response: Response,
  ): Promise<void> {
    const project = await this.projects.get(resource.projectId);
    const document = await this.documents.get(resource);
    this.pages.send(
      response,
      <DocumentPage
        view={this.pages.viewOf(request, project)}
        document={document}
        content={await this.pages.formatDocument(requester, document)}
        files={this.pages.apiPath(`/documents/${document.id}/attachments`)}
      />,
    );
  }
}
