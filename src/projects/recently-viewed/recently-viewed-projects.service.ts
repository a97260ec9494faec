import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Caller } from '../../access/caller';
import { toTimestamp } from '../../http/request/timestamp';
import { type OffsetPaging, Page } from '../../paging/page';
import { ViewKind } from '../../views/view-kind';
import { ViewsService } from '../../views/views.service';
import { ProjectRepository } from '../data/project.repository';
import { type RecentlyViewedProjectDto } from '../dto/recently-viewed-project.dto';
import { ProjectRemovalService } from '../project-removal.service';
import { ProjectsService } from '../projects.service';

/** Lists the projects that users viewed recently. Removes the views of everything in deleted projects. */
@Injectable()
export class RecentlyViewedProjectsService implements OnModuleInit {
  constructor(
    private readonly views: ViewsService,
    private readonly rows: ProjectRepository,
    private readonly projects: ProjectsService,
    private readonly removal: ProjectRemovalService,
  ) {}

  onModuleInit(): void {
    this.views.setProjectFinder((manager, ids) => this.rows.findUndeletedIds(manager, ids));
    this.removal.register('members', (manager, projectId, limit) =>
      this.views.removeOfProject(manager, projectId, limit),
    );
  }

  /** Returns one page of the projects that the caller has viewed and may still see. */
  async list(caller: Caller, query: OffsetPaging): Promise<Page<RecentlyViewedProjectDto>> {
    const { items, next } = await this.views.page(caller.id, ViewKind.Project, query, (ids) =>
      this.rows.findVisibleIds(caller, ids),
    );
    const projects = await this.projects.findSummaries(items.map(({ subjectId }) => subjectId));
    return new Page(
      items.flatMap(({ subjectId, viewed }) => {
        const project = projects.get(subjectId);
        return project ? [{ project, updated: toTimestamp(viewed) }] : [];
      }),
      next,
    );
  }
}
