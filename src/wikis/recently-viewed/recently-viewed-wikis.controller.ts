import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller } from '../../access/access';
import { type Caller } from '../../access/caller';
import { EVERYONE } from '../../access/role-type';
import { OffsetPageQuery } from '../../http/request/page-query';
import { Operation } from '../../openapi/operation';
import { type Page } from '../../paging/page';
import { AddRecentlyViewedWikiDto, RecentlyViewedWikiDto } from '../dto/recently-viewed-wiki.dto';
import { WikiSummaryDto } from '../dto/wiki.dto';
import { RecentlyViewedWikisService } from './recently-viewed-wikis.service';

@ApiTags('Recently viewed')
@Controller('users/myself/recentlyViewedWikis')
export class RecentlyViewedWikisController {
  constructor(private readonly recent: RecentlyViewedWikisService) {}

  @Get()
  @Operation({
    summary: 'List the wiki pages recently viewed by the caller',
    description: `The last 100 pages at most, only those that the caller may still see, most recent first unless \`order\` is \`asc\`.
\`GET /wikis/{wikiId}\` counts as a view.`,
    returns: [RecentlyViewedWikiDto],
  })
  @Access({ roles: EVERYONE })
  listRecentlyViewedWikis(
    @CurrentCaller() caller: Caller,
    @Query() query: OffsetPageQuery,
  ): Promise<Page<RecentlyViewedWikiDto>> {
    return this.recent.list(caller, query);
  }

  @Post()
  @Operation({ summary: 'Record a view of a wiki page by the caller', returns: WikiSummaryDto })
  @Access({ roles: EVERYONE })
  addRecentlyViewedWiki(
    @CurrentCaller() caller: Caller,
    @Body() { wikiId }: AddRecentlyViewedWikiDto,
  ): Promise<WikiSummaryDto> {
    return this.recent.add(caller, wikiId);
  }
}
