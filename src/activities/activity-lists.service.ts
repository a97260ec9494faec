import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Conditions } from '../database/conditions';
import { isEmbedded } from '../database/statements';
import { NoResourceError } from '../errors/domain-errors';
import { Page, toIdPage } from '../http/paging';
import { ProjectsService } from '../projects/projects.service';
import { deletedProjectIds, visibleProjectIds } from '../projects/visibility';
import { type Caller } from '../users/caller';
import { RoleType } from '../users/role-type';
import { UsersService } from '../users/users.service';
import { addTypes } from './activity-rights';
import { toActivityEnvelope } from './activity.mapper';
import { type ActivityType } from './activity-type';
import { type ActivityListQuery } from './dto/activity-list-query.dto';
import { type ActivityDto } from './dto/activity.dto';

interface ActivityRow {
  id: number;
  projectId: number;
  type: ActivityType;
  /** JSON text. */
  content: string;
  createdUserId: number;
  created: number;
}

/** A part of a statement with its parameters. */
interface Sql {
  sql: string;
  parameters: unknown[];
}

const COLUMNS = `a.id AS id, a.project_id AS projectId, a.type AS type, a.content AS content,
  a.created_user_id AS createdUserId, a.created AS created`;

/** So many projects are merged without asking which are worth it. */
const MAX_MERGED = 128;

/**
 * Lists of activities. Whatever is asked for, first the ids are found in an index that has all that it filters by, and then
 * as many activities are read as are shown.
 */
@Injectable()
export class ActivityListsService {
  private readonly primaryIndex: string;
  private readonly projectIndex: string;
  private readonly userIndex: string;
  /** Joins tables in the order in which they are written. */
  private readonly inOrder: string;

  constructor(
    private readonly dataSource: DataSource,
    private readonly projects: ProjectsService,
    private readonly users: UsersService,
  ) {
    const using = (index: string): string =>
      isEmbedded(dataSource) ? `INDEXED BY ${index}` : `FORCE INDEX (${index})`;
    this.primaryIndex = isEmbedded(dataSource) ? 'NOT INDEXED' : 'FORCE INDEX (PRIMARY)';
    this.projectIndex = using('ix_activity_project_id_id_type');
    this.userIndex = using('ix_activity_created_user_id_id_project_id_type');
    this.inOrder = isEmbedded(dataSource) ? 'CROSS JOIN' : 'STRAIGHT_JOIN';
  }

  /** Those of a project that the caller may see. */
  ofProject(projectId: number, caller: Caller, query: ActivityListQuery): Promise<Page<ActivityDto>> {
    return this.page([this.idsOfProject(projectId, conditionsOf(caller, query), query)], query);
  }

  /**
   * Those of all projects that the caller may see: the newest of each, merged. Reading on through all activities until enough
   * of them are visible would be endless for who sees few of many; and sorting what is visible, for who sees many.
   */
  async ofSpace(caller: Caller, query: ActivityListQuery): Promise<Page<ActivityDto>> {
    const conditions = conditionsOf(caller, query);
    // Who sees everything finds enough at once.
    if (caller.roleType === RoleType.Administrator && query.activityTypeId.length === 0) {
      return this.page([this.idsOfAll(conditions, query)], query);
    }
    const projectIds = await this.projectsToMerge(caller, conditions, query);
    return this.page(
      padded(projectIds).map((id) => this.idsOfProject(id, conditions, query)),
      query,
    );
  }

  /** Those of a user in the projects that the caller may see. */
  ofUser(userId: number, caller: Caller, query: ActivityListQuery): Promise<Page<ActivityDto>> {
    const visible = visibleProjectIds(caller);
    const conditions = conditionsOf(caller, query)
      .add('a.created_user_id = ?', userId)
      .add(`a.project_id IN (${visible.sql})`, ...visible.parameters);
    // Without the first word, MariaDB would begin with the projects, and sort.
    const straight = isEmbedded(this.dataSource) ? '' : 'STRAIGHT_JOIN';
    const ids = {
      sql: `SELECT ${straight} a.id FROM activity a ${this.userIndex} ${conditions.where} ${limitOf(query)}`,
      parameters: conditions.parameters,
    };
    return this.page([ids], query);
  }

  /**
   * One activity.
   * @throws NoResourceError when it has just been removed
   */
  async get(id: number): Promise<ActivityDto> {
    const rows = await this.dataSource.query<ActivityRow[]>(
      `SELECT ${COLUMNS} FROM activity a WHERE a.id = ?`,
      [id],
    );
    const [activity] = await this.toDtos(rows);
    if (!activity) throw new NoResourceError('activity');
    return activity;
  }

  /**
   * All that the caller sees, or, of many, those whose newest activities are the newest: a page has no room for more projects
   * than activities. Only of many, because MariaDB looks for a project's newest below a bound from the top.
   */
  private async projectsToMerge(
    caller: Caller,
    conditions: Conditions,
    query: ActivityListQuery,
  ): Promise<number[]> {
    const visible = visibleProjectIds(caller);
    const all = await this.dataSource.query<{ id: number }[]>(
      `SELECT v.id AS id FROM (${visible.sql}) v LIMIT ${MAX_MERGED + 1}`,
      visible.parameters,
    );
    if (all.length <= MAX_MERGED) return all.map((row) => row.id);
    const newest = this.idsOfProject('v.id', conditions, { ...query, count: 0 });
    const rows = await this.dataSource.query<{ id: number; newest: number | null }[]>(
      `SELECT v.id AS id, (${newest.sql}) AS newest FROM (${visible.sql}) v
        ORDER BY newest IS NULL, newest ${directionOf(query)} LIMIT ${query.count + 1}`,
      [...newest.parameters, ...visible.parameters],
    );
    return rows.flatMap((row) => (row.newest === null ? [] : [row.id]));
  }

  /** The ids of the activities of all projects, one more than asked for. */
  private idsOfAll(conditions: Conditions, query: ActivityListQuery): Sql {
    conditions.add(`a.project_id NOT IN (${deletedProjectIds})`);
    return {
      sql: `SELECT a.id FROM activity a ${this.primaryIndex} ${conditions.where} ${limitOf(query)}`,
      parameters: conditions.parameters,
    };
  }

  /** The ids of a project's activities, one more than asked for. */
  private idsOfProject(
    project: number | 'v.id',
    conditions: Conditions,
    query: Pick<ActivityListQuery, 'count' | 'order'>,
  ): Sql {
    const [id, parameters] = project === 'v.id' ? [project, []] : ['?', [project]];
    const and = conditions.where.replace(/^WHERE/, 'AND');
    return {
      sql: `SELECT a.id FROM activity a ${this.projectIndex} WHERE a.project_id = ${id} ${and} ${limitOf(query)}`,
      parameters: [...parameters, ...conditions.parameters],
    };
  }

  /** The page of activities whose ids some queries give. */
  private async page(ids: readonly Sql[], query: ActivityListQuery): Promise<Page<ActivityDto>> {
    if (ids.length === 0) return new Page([]);
    const order = `ORDER BY id ${directionOf(query)} LIMIT ${query.count + 1}`;
    const all = ids.map(({ sql }) => `SELECT t.id FROM (${sql}) t`).join(' UNION ALL ');
    const rows = await this.dataSource.query<ActivityRow[]>(
      `SELECT ${COLUMNS} FROM (SELECT u.id FROM (${all}) u ${order}) s ${this.inOrder} activity a ON a.id = s.id
        ORDER BY a.id ${directionOf(query)}`,
      ids.flatMap(({ parameters }) => parameters),
    );
    const { items, next } = toIdPage(rows, query);
    return new Page(await this.toDtos(items), next);
  }

  private async toDtos(rows: readonly ActivityRow[]): Promise<ActivityDto[]> {
    const projects = await this.projects.findSummaries(rows.map((row) => row.projectId));
    const users = await this.users.findByIds(rows.map((row) => row.createdUserId));
    return rows.flatMap((row) => {
      const project = projects.get(row.projectId);
      const user = users.get(row.createdUserId);
      // The project may have gone since.
      if (!project || !user) return [];
      return toActivityEnvelope({ ...row, content: JSON.parse(row.content) as object }, project, user);
    });
  }
}

const directionOf = ({ order }: Pick<ActivityListQuery, 'order'>): string =>
  order === 'asc' ? 'ASC' : 'DESC';

const limitOf = (query: Pick<ActivityListQuery, 'count' | 'order'>): string =>
  `ORDER BY a.id ${directionOf(query)} LIMIT ${query.count + 1}`;

function conditionsOf(caller: Caller, query: ActivityListQuery): Conditions {
  const conditions = new Conditions();
  addTypes(conditions, caller, query.activityTypeId);
  return conditions.addIf(query.minId, 'a.id >= ?').addIf(query.maxId, 'a.id <= ?');
}

/** As many ids as a power of two, those added of no project, so that few statements serve all lengths. */
function padded(ids: readonly number[]): number[] {
  const length = 2 ** Math.ceil(Math.log2(Math.max(ids.length, 1)));
  return ids.length === 0 ? [] : [...ids, ...Array<number>(length - ids.length).fill(0)];
}
