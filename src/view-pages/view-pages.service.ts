import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type Request, type Response } from 'express';
import { type JSX } from 'hono/jsx/jsx-runtime';
import { type CommentDto } from '../comments/dto/comment.dto';
import { Environment } from '../config/environment';
import { type Requester } from '../event-loop/user-turns';
import { type IdPageQuery } from '../http/request/page-query';
import { type ServiceAdapter } from '../http/server/service-adapter';
import { languageOf } from '../pages/language';
import { sendPage } from '../pages/page';
import { hasProjectPages, projectPath } from '../pages/page-paths';
import { type Page } from '../paging/page';
import { type ProjectDto } from '../projects/dto/project.dto';
import { commentsPageOf, type CommentsPageQuery, type Discussion, idPageOf } from './comments-page';
import { FormattedTextsService } from './formatting/formatted-texts.service';
import { type View } from './view';

/** What the controllers of the pages have in common. */
@Injectable()
export class ViewPagesService {
  private readonly basePath: string;

  constructor(
    environment: Environment,
    private readonly adapterHost: HttpAdapterHost<ServiceAdapter>,
    private readonly texts: FormattedTextsService,
  ) {
    this.basePath = environment.BASE_PATH === '/' ? '' : environment.BASE_PATH;
  }

  /** Returns what a page needs. @param project of its content, if that belongs to one */
  viewOf(request: Request, project?: ProjectDto): View {
    const projectLink =
      project && hasProjectPages(this.basePath)
        ? { path: projectPath(project.projectKey), text: project.name }
        : undefined;
    return { language: languageOf(request), projectLink };
  }

  /** Returns the path of an operation of the API. @param path after the base path */
  apiPath(path: string): string {
    return `${this.basePath}${path}`;
  }

  /** Returns texts as HTML in the formatting of their project, in order. */
  format(requester: Requester, project: ProjectDto, texts: readonly string[]): Promise<string[]> {
    const format = project.textFormattingRule === 'markdown' ? 'markdown' : 'plain';
    return this.texts.format(
      requester,
      texts.map((text) => ({ format, text })),
    );
  }

  /** Returns a description and a page of its comments, with their texts as HTML. @param list reads the comments */
  async discussionOf(
    requester: Requester,
    project: ProjectDto,
    description: string,
    query: CommentsPageQuery,
    list: (query: IdPageQuery) => Promise<Page<CommentDto>>,
  ): Promise<Discussion> {
    const comments = commentsPageOf(query, await list(idPageOf(query)));
    const texts = [description, ...comments.comments.map(({ content }) => content)];
    const [html = '', ...contents] = await this.format(requester, project, texts);
    return { description: html, comments, contents };
  }

  /** Returns a document's content as HTML. */
  async formatDocument(
    requester: Requester,
    { json, plain }: { json: string; plain: string },
  ): Promise<string> {
    const [html = ''] = await this.texts.format(requester, [{ format: 'editor', json, text: plain }]);
    return html;
  }

  /** Sends a page. Its memory counts like that of other responses until the client has read it. */
  send(response: Response, page: JSX.Element): void {
    sendPage(response, page);
    const { writableLength } = response;
    if (writableLength > 0) this.adapterHost.httpAdapter.pendingAnswers.track(response, writableLength);
  }
}
