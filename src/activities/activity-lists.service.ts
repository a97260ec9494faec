import { Injectable } from '@nestjs/common';
import { type Caller } from '../access/caller';
import { NoResourceError } from '../errors/domain-errors';
import { Page, toIdPage } from '../paging/page';
import { ProjectsService } from '../projects/projects.service';
import { UsersService } from '../users/users.service';
import { toActivityEnvelope } from './activity.mapper';
import { ActivityListRepository } from './data/activity-list.repository';
import { ActivityRepository, type ActivityRow } from './data/activity.repository';
import { ActivityTextRepository } from './data/activity-text.repository';
import { type ActivityListQuery } from './dto/activity-list-query.dto';
import { type ActivityDto } from './dto/activity.dto';
import { parseWithTexts } from './text-references';

/** One activity, and lists of activities. */
@Injectable()
export class ActivityListsService {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly lists: ActivityListRepository,
    private readonly texts: ActivityTextRepository,
    private readonly projects: ProjectsService,
    private readonly users: UsersService,
  ) {}

  /** The activities of a project that the caller may see. */
  async ofProject(projectId: number, caller: Caller, query: ActivityListQuery): Promise<Page<ActivityDto>> {
    return this.toPage(await this.lists.listOfProject(projectId, caller, query), query);
  }

  /** The activities of all projects that the caller may see. */
  async ofSpace(caller: Caller, query: ActivityListQuery): Promise<Page<ActivityDto>> {
    return this.toPage(await this.lists.listOfSpace(caller, query), query);
  }

  /** The activities of a user in the projects that the caller may see. */
  async ofUser(userId: number, caller: Caller, query: ActivityListQuery): Promise<Page<ActivityDto>> {
    return this.toPage(await this.lists.listOfUser(userId, caller, query), query);
  }

  /**
   * One activity.
   * @throws NoResourceError when it has just been removed
   */
  async get(id: number): Promise<ActivityDto> {
    const row = await this.activities.find(id);
    const [activity] = await this.toDtos(row ? [row] : []);
    if (!activity) throw new NoResourceError('activity');
    return activity;
  }

  private async toPage(rows: ActivityRow[], query: ActivityListQuery): Promise<Page<ActivityDto>> {
    const { items, next } = toIdPage(rows, query);
    return new Page(await this.toDtos(items), next);
  }

  private async toDtos(rows: readonly ActivityRow[]): Promise<ActivityDto[]> {
    const projects = await this.projects.findSummaries(rows.map((row) => row.projectId));
    const users = await this.users.findByIds(rows.map((row) => row.createdUserId));
    const texts = await this.texts.findReferenced(rows.map((row) => row.content));
    return rows.flatMap((row) => {
      const project = projects.get(row.projectId);
      const user = users.get(row.createdUserId);
      const content = parseWithTexts(row.content, texts);
      // The project may have been removed meanwhile.
      if (!project || !user || !content) return [];
      return toActivityEnvelope({ ...row, content }, project, user);
    });
  }
}
