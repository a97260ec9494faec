import { Injectable } from '@nestjs/common';
import { type Caller } from '../access/caller';
import { NoResourceError } from '../errors/domain-errors';
import { buildInParts, longLists, partsOf } from '../event-loop/long-lists';
import { type Requester } from '../event-loop/user-turns';
import { Page, toIdPage } from '../paging/page';
import { ProjectsService } from '../projects/projects.service';
import { AgentsService } from '../users/agents.service';
import { UsersService } from '../users/users.service';
import { toActivityEnvelope } from './activity.mapper';
import { ActivityListRepository } from './data/activity-list.repository';
import { ActivityRepository, type ActivityRow } from './data/activity.repository';
import { ActivityTextRepository } from './data/activity-text.repository';
import { type ActivityListQuery } from './dto/activity-list-query.dto';
import { type ActivityDto } from './dto/activity.dto';
import { digestsIn, parseWithTexts } from './text-references';

/**
 * Maximum number of characters of content built at once, unless a single activity has more: a push can have a hundred long
 * messages.
 */
const MAX_SIZE_AT_ONCE = 250_000;
/** Assumed length of a referenced text: most are comments and commit messages. */
const TEXT_SIZE = 4000;

/** Reads single activities and lists of activities. */
@Injectable()
export class ActivityListsService {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly lists: ActivityListRepository,
    private readonly texts: ActivityTextRepository,
    private readonly projects: ProjectsService,
    private readonly users: UsersService,
    private readonly agents: AgentsService,
  ) {}

  /** Returns the activities of a project that the caller may see. */
  async ofProject(
    projectId: number,
    caller: Caller,
    query: ActivityListQuery,
    requester: Requester,
  ): Promise<Page<ActivityDto>> {
    return this.toPage(await this.lists.listOfProject(projectId, caller, query), query, requester);
  }

  /** Returns the activities of all projects that the caller may see. */
  async ofSpace(caller: Caller, query: ActivityListQuery, requester: Requester): Promise<Page<ActivityDto>> {
    return this.toPage(await this.lists.listOfSpace(caller, query), query, requester);
  }

  /** Returns the activities of a user in the projects that the caller may see. */
  async ofUser(
    userId: number,
    caller: Caller,
    query: ActivityListQuery,
    requester: Requester,
  ): Promise<Page<ActivityDto>> {
    return this.toPage(await this.lists.listOfUser(userId, caller, query), query, requester);
  }

  /**
   * Returns an activity.
   * @throws NoResourceError when it has just been removed
   */
  async get(id: number): Promise<ActivityDto> {
    const row = await this.activities.find(id);
    const [activity] = await this.toDtos(row ? [row] : []);
    if (!activity) throw new NoResourceError('activity');
    return activity;
  }

  /** Builds a page; lists of very long activities are built a few activities at a time. */
  private async toPage(
    rows: ActivityRow[],
    query: ActivityListQuery,
    requester: Requester,
  ): Promise<Page<ActivityDto>> {
    const { items, next } = toIdPage(rows, query);
    const parts = partsOf(items, MAX_SIZE_AT_ONCE, sizing());
    if (parts.length <= 1) return new Page(await this.toDtos(items), next);
    return longLists.run(requester, async () => {
      const build = await this.builderFor(items);
      return new Page(await buildInParts(parts, build, requester.signal), next);
    });
  }

  private async toDtos(rows: readonly ActivityRow[]): Promise<ActivityDto[]> {
    const build = await this.builderFor(rows);
    return build(rows);
  }

  /**
   * Reads the projects, users and agents of activities.
   * @returns a function that builds some of these activities and reads their texts
   */
  private async builderFor(
    rows: readonly ActivityRow[],
  ): Promise<(some: readonly ActivityRow[]) => Promise<ActivityDto[]>> {
    const projects = await this.projects.findSummaries(rows.map((row) => row.projectId));
    const users = await this.users.findByIds(rows.map((row) => row.createdUserId));
    const agentOf = await this.agents.findOf(rows);
    return async (some) => {
      const texts = await this.texts.findReferenced(some.map((row) => row.content));
      return some.flatMap((row) => {
        const project = projects.get(row.projectId);
        const user = users.get(row.createdUserId);
        const content = parseWithTexts(row.content, texts);
        // The project may have been removed in the meantime.
        if (!project || !user || !content) return [];
        return toActivityEnvelope({ ...row, content }, project, user, agentOf(row));
      });
    };
  }
}

/**
 * Returns a function that counts the characters of activities; a text referenced by several, such as the description of their
 * issue, counts once.
 */
function sizing(): (row: ActivityRow) => number {
  const counted = new Set<string>();
  return ({ content }) => {
    const before = counted.size;
    for (const digest of digestsIn(content)) counted.add(digest);
    return content.length + (counted.size - before) * TEXT_SIZE;
  };
}
