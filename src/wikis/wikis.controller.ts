import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import {
  Access,
  type AuthorizedSearcher,
  CurrentAuditedCaller,
  CurrentCaller,
  CurrentSearcher,
  PathResource,
} from '../access/access';
import { Created } from '../http/response/created';
import { CountDto } from '../http/response/count.dto';
import { IdPageQuery } from '../http/request/page-query';
import { selectFields } from '../http/request/selected-fields';
import { type Page } from '../paging/page';
import { CountsAs } from '../limits/rate-class';
import { IMPORT_OPERATION } from '../openapi/import-operation';
import { Operation } from '../openapi/operation';
import { ProjectLoader } from '../projects/project.loader';
import { type VisibleProject } from '../projects/projects.service';
import { StarDto } from '../stars/dto/star.dto';
import { StarsService } from '../stars/stars.service';
import { type AuditedCaller, type Caller } from '../access/caller';
import { DEVELOPERS, EVERYONE, RoleType } from '../access/role-type';
import { PastChangesService } from '../users/past-changes.service';
import { ViewKind } from '../views/view-kind';
import { ViewsService } from '../views/views.service';
import { AddWikiDto } from './dto/add-wiki.dto';
import { DeleteWikiDto } from './dto/delete-wiki.dto';
import { ImportWikiDto } from './dto/import-wiki.dto';
import { UpdateWikiDto } from './dto/update-wiki.dto';
import { ListWikisQuery } from './dto/wiki-queries.dto';
import { ProjectQuery } from '../projects/dto/project-query.dto';
import { WikiTagDto } from './dto/wiki-tag.dto';
import { WikiVersionDto } from './dto/wiki-version.dto';
import { WikiDto, WikiSummaryDto } from './dto/wiki.dto';
import { WikiHistoryService } from './history/wiki-history.service';
import { WikiTagsService } from './tags/wiki-tags.service';
import { WikiListsService } from './wiki-lists.service';
import { WikiLoader, type WikiResource } from './wiki.loader';
import { wikiPath } from './wiki.mapper';
import { WikisService } from './wikis.service';

const READ_PROJECT = {
  roles: EVERYONE,
  resource: ProjectLoader,
  fromQuery: ['projectIdOrKey'],
} as const;
const READ_PAGE = { roles: EVERYONE, resource: WikiLoader } as const;
const CHANGE_PAGE = { roles: DEVELOPERS, resource: WikiLoader } as const;

@ApiTags('Wikis')
@Controller('wikis')
export class WikisController {
  constructor(
    private readonly wikis: WikisService,
    private readonly lists: WikiListsService,
    private readonly history: WikiHistoryService,
    private readonly tags: WikiTagsService,
    private readonly stars: StarsService,
    private readonly views: ViewsService,
    private readonly past: PastChangesService,
  ) {}

  @Get()
  @Operation({
    summary: 'List the wiki pages of a project',
    description: 'All pages, without their content, ordered by name unless `sort` or `order` is given.',
    returns: [WikiSummaryDto],
  })
  @Access(READ_PROJECT)
  @CountsAs('search')
  async listWikis(
    @PathResource() project: VisibleProject,
    @Query() query: ListWikisQuery,
    @CurrentSearcher() searcher: AuthorizedSearcher,
  ): Promise<WikiSummaryDto[]> {
    const pages = query.keyword
      ? await this.lists.search(project.id, query.keyword, query, searcher)
      : await this.lists.list(project.id, query);
    return selectFields(pages, query.fields);
  }

  @Get('count')
  @Operation({ summary: 'Count the wiki pages of a project', returns: CountDto })
  @Access(READ_PROJECT)
  @CountsAs('search')
  countWikis(@Query() _query: ProjectQuery, @PathResource() project: VisibleProject): Promise<CountDto> {
    return this.lists.count(project.id);
  }

  @Get('tags')
  @Operation({
    summary: 'List the tags of wiki pages of a project',
    description: 'The texts in brackets in the names of pages, ordered by name.',
    returns: [WikiTagDto],
  })
  @Access(READ_PROJECT)
  listWikiTags(
    @Query() _query: ProjectQuery,
    @PathResource() project: VisibleProject,
  ): Promise<WikiTagDto[]> {
    return this.tags.list(project.id);
  }

  @Post()
  @Operation({
    summary: 'Add a wiki page',
    description: 'Writes activity 5.',
    returns: WikiDto,
    creates: 'located',
    countLimit: 'wiki',
  })
  @Access({ roles: DEVELOPERS })
  async addWiki(@CurrentCaller() caller: Caller, @Body() body: AddWikiDto): Promise<Created<WikiDto>> {
    const wiki = await this.wikis.create(caller, body);
    return new Created(wiki, wikiPath(wiki.id));
  }

  @Post('import')
  @Operation({
    summary: 'Import a wiki page',
    description: `Like adding a page. Its version 1 has the time and the user of the last edit. Writes activity 5. ${IMPORT_OPERATION}`,
    returns: WikiDto,
    creates: 'located',
    countLimit: 'wiki',
  })
  @Access({ roles: [RoleType.Administrator] })
  async importWiki(
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() body: ImportWikiDto,
  ): Promise<Created<WikiDto>> {
    const wiki = await this.wikis.create(caller, body, await this.past.of(caller, body));
    return new Created(wiki, wikiPath(wiki.id));
  }

  @Get(':wikiId')
  @Operation({ summary: 'Get a wiki page', returns: WikiDto })
  @Access(READ_PAGE)
  getWiki(@PathResource() wiki: WikiResource, @CurrentCaller() caller: Caller): Promise<WikiDto> {
    this.views.note(caller, ViewKind.WikiPage, wiki);
    return this.wikis.get(wiki.id);
  }

  @Patch(':wikiId')
  @Operation({
    summary: 'Update a wiki page',
    description: 'A change of the name or content creates a new version and writes activity 6.',
    returns: WikiDto,
  })
  @Access(CHANGE_PAGE)
  updateWiki(
    @PathResource() wiki: WikiResource,
    @CurrentCaller() caller: Caller,
    @Body() body: UpdateWikiDto,
  ): Promise<WikiDto> {
    return this.wikis.update(wiki, caller, body);
  }

  @Delete(':wikiId')
  @Operation({
    summary: 'Delete a wiki page',
    description: 'Deletes the page with its versions, files and stars. Writes activity 7.',
    returns: WikiDto,
  })
  @ApiBody({ type: DeleteWikiDto, required: false })
  @Access(CHANGE_PAGE)
  deleteWiki(
    @Body() _body: DeleteWikiDto,
    @PathResource() wiki: WikiResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
  ): Promise<WikiDto> {
    return this.wikis.delete(wiki, caller);
  }

  @Get(':wikiId/history')
  @Operation({
    summary: 'List the versions of a wiki page',
    description: 'Newest first unless `order` is `asc`. `minId` and `maxId` are version numbers.',
    returns: [WikiVersionDto],
  })
  @Access(READ_PAGE)
  listWikiHistory(
    @PathResource() wiki: WikiResource,
    @Query() query: IdPageQuery,
  ): Promise<Page<WikiVersionDto>> {
    return this.history.list(wiki.id, query);
  }

  @Get(':wikiId/stars')
  @Operation({ summary: 'List the stars of a wiki page', description: 'Oldest first.', returns: [StarDto] })
  @Access(READ_PAGE)
  listWikiStars(@PathResource() { threadId }: WikiResource): Promise<StarDto[]> {
    return this.stars.listOfThread(threadId);
  }
}
