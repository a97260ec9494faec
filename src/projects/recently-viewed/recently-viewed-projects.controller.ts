import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller } from '../../access/access';
import { type Caller } from '../../access/caller';
import { EVERYONE } from '../../access/role-type';
import { OffsetPageQuery } from '../../http/request/page-query';
import { Operation } from '../../openapi/operation';
import { type Page } from '../../paging/page';
import { RecentlyViewedProjectDto } from '../dto/recently-viewed-project.dto';
import { RecentlyViewedProjectsService } from './recently-viewed-projects.service';

@ApiTags('Recently viewed')
@Controller('users/myself/recentlyViewedProjects')
export class RecentlyViewedProjectsController {
  constructor(private readonly recent: RecentlyViewedProjectsService) {}

  @Get()
  @Operation({
    summary: 'List the projects recently viewed by the caller',
    description: `The last 100 projects at most, only those that the caller may still see, most recent first unless \`order\` is \`asc\`.
\`GET /projects/{projectIdOrKey}\` counts as a view.`,
    returns: [RecentlyViewedProjectDto],
  })
  @Access({ roles: EVERYONE })
  listRecentlyViewedProjects(
    @CurrentCaller() caller: Caller,
    @Query() query: OffsetPageQuery,
  ): Promise<Page<RecentlyViewedProjectDto>> {
    return this.recent.list(caller, query);
  }
}
