import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Conditions } from '../database/conditions';
import { isEmbedded } from '../database/statements';
import { NoResourceError } from '../errors/domain-errors';
import { Page, toIdPage } from '../paging/page';
import { ProjectsService } from '../projects/projects.service';
import { deletedProjectIds, visibleProjectIds } from '../projects/visibility';
import { type Caller } from '../access/caller';
import { RoleType } from '../access/role-type';
import { UsersService } from '../users/users.service';
import { addTypes, visibleTypes } from './activity-rights';
import { toActivityEnvelope } from './activity.mapper';
import { findTexts, parseWithTexts } from './activity-texts';
import { type ActivityType } from './activity-type';
import { type ActivityListQuery } from './dto/activity-list-query.dto';
import { type ActivityDto } from './dto/activity.dto';

interface ActivityRow {
  id: number;
  projectId: number;
  type: ActivityType;
  /** JSON text, with references to long texts. */
  content: string;
  createdUserId: number;
  created: number;
}

/** A part of a statement with its parameters. */
interface Sql {
  sql: string;
  parameters: unknown[];
}

/** What is looked for in a project, and the index that has just that in the order of the list. */
interface IndexScan {
  index: string;
  conditions: Conditions;
}

const COLUMNS = `a.id AS id, a.project_id AS projectId, a.type AS type, a.content AS content,
  a.created_user_id AS createdUserId, a.created AS created`;

/** So many scans are merged without asking which are worth it. */
const MAX_MERGED = 128;

/** So many types are looked for each by itself, so that a rare one is found at once; among more, some are frequent. */
const MAX_TYPES_APART = 8;

/**
 * Lists of activities. Whatever is asked for, first the ids are found in an index that has all that it filters by, and then
 * as many activities are read as are shown.
 */
@Injectable()
export class ActivityListsService {
  private readonly primaryIndex: string;
  private readonly projectIndex: string;
  private readonly typeIndex: string;
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
    this.typeIndex = using('ix_activity_project_id_type_id');
    this.userIndex = using('ix_activity_created_user_id_project_id_id_type');
    this.inOrder = isEmbedded(dataSource) ? 'CROSS JOIN' : 'STRAIGHT_JOIN';
  }

  /** Those of a project that the caller may see. */
  ofProject(projectId: number, caller: Caller, query: ActivityListQuery): Promise<Page<ActivityDto>> {
    const scans = this.scansOf(caller, query);
    return this.page(
      scans.map((scan) => idsOfScan(projectId, scan, query)),
      query,
    );
  }

  /**
   * Those of all projects that the caller may see: the newest of each, merged. Reading on through all activities until enough
   * of them are visible would be endless for who sees few of many; and sorting what is visible, for who sees many.
   */
  async ofSpace(caller: Caller, query: ActivityListQuery): Promise<Page<ActivityDto>> {
    // Who sees everything finds enough at once.
    if (caller.roleType === RoleType.Administrator && query.activityTypeId.length === 0) {
      return this.page([this.idsOfAll(conditionsOf(caller, query), query)], query);
    }
    return this.page(await this.scansToMerge(this.scansOf(caller, query), caller, query), query);
  }

  /** Those of a user in the projects that the caller may see. */
  async ofUser(userId: number, caller: Caller, query: ActivityListQuery): Promise<Page<ActivityDto>> {
    const conditions = new Conditions().add('a.created_user_id = ?', userId);
    const scan = { index: this.userIndex, conditions: conditions.and(conditionsOf(caller, query)) };
    return this.page(await this.scansToMerge([scan], caller, query), query);
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

  /** What a query looks for in each project. */
  private scansOf(caller: Caller, query: ActivityListQuery): IndexScan[] {
    const { activityTypeId: types } = query;
    if (types.length === 0 || types.length > MAX_TYPES_APART) {
      return [{ index: this.projectIndex, conditions: conditionsOf(caller, query) }];
    }
    return visibleTypes(caller, types).map((type) => ({
      index: this.typeIndex,
      conditions: addRange(new Conditions().add('a.type = ?', type), query),
    }));
  }

  /**
   * Each scan of each project that the caller sees, or, of many, those whose newest activities are the newest: a page has no
   * room for more scans than activities. Only of many, because MariaDB looks for the newest below a bound from the top.
   */
  private async scansToMerge(
    scans: readonly IndexScan[],
    caller: Caller,
    query: ActivityListQuery,
  ): Promise<Sql[]> {
    if (scans.length === 0) return [];
    const visible = visibleProjectIds(caller);
    const most = Math.floor(MAX_MERGED / scans.length);
    const projects = await this.dataSource.query<{ id: number }[]>(
      `SELECT v.id AS id FROM (${visible.sql}) v LIMIT ${most + 1}`,
      visible.parameters,
    );
    if (projects.length <= most) {
      return padded(projects, { id: 0 }).flatMap(({ id }) => scans.map((scan) => idsOfScan(id, scan, query)));
    }
    const heads = scans.map((scan, index) => {
      const newest = idsOfScan('v.id', scan, { ...query, count: 0 });
      return {
        sql: `SELECT v.id AS id, ${index} AS scan, (${newest.sql}) AS newest FROM (${visible.sql}) v`,
        parameters: [...newest.parameters, ...visible.parameters],
      };
    });
    const rows = await this.dataSource.query<{ id: number; scan: number }[]>(
      `SELECT h.id AS id, h.scan AS scan FROM (${heads.map(({ sql }) => sql).join(' UNION ALL ')}) h
        WHERE h.newest IS NOT NULL ORDER BY h.newest ${directionOf(query)} LIMIT ${query.count + 1}`,
      heads.flatMap(({ parameters }) => parameters),
    );
    return padded(rows, { id: 0, scan: 0 }).map(({ id, scan }) =>
      idsOfScan(id, scans[scan] as IndexScan, query),
    );
  }

  /** The ids of the activities of all projects, one more than asked for. */
  private idsOfAll(conditions: Conditions, query: ActivityListQuery): Sql {
    conditions.add(`a.project_id NOT IN (${deletedProjectIds})`);
    return {
      sql: `SELECT a.id FROM activity a ${this.primaryIndex} ${conditions.where} ${limitOf(query)}`,
      parameters: conditions.parameters,
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
    const texts = await findTexts(
      this.dataSource,
      rows.map((row) => row.content),
    );
    return rows.flatMap((row) => {
      const project = projects.get(row.projectId);
      const user = users.get(row.createdUserId);
      const content = parseWithTexts(row.content, texts);
      // The project may have gone since.
      if (!project || !user || !content) return [];
      return toActivityEnvelope({ ...row, content }, project, user);
    });
  }
}

const directionOf = ({ order }: Pick<ActivityListQuery, 'order'>): string =>
  order === 'asc' ? 'ASC' : 'DESC';

const limitOf = (query: Pick<ActivityListQuery, 'count' | 'order'>): string =>
  `ORDER BY a.id ${directionOf(query)} LIMIT ${query.count + 1}`;

/** The ids of a scan of a project's activities, one more than asked for. */
function idsOfScan(
  project: number | 'v.id',
  { index, conditions }: IndexScan,
  query: Pick<ActivityListQuery, 'count' | 'order'>,
): Sql {
  const [id, parameters] = project === 'v.id' ? [project, []] : ['?', [project]];
  const { where, parameters: all } = new Conditions()
    .add(`a.project_id = ${id}`, ...parameters)
    .and(conditions);
  return { sql: `SELECT a.id FROM activity a ${index} ${where} ${limitOf(query)}`, parameters: all };
}

function conditionsOf(caller: Caller, query: ActivityListQuery): Conditions {
  const conditions = new Conditions();
  addTypes(conditions, caller, query.activityTypeId);
  return addRange(conditions, query);
}

const addRange = (conditions: Conditions, { minId, maxId }: ActivityListQuery): Conditions =>
  conditions.addIf(minId, 'a.id >= ?').addIf(maxId, 'a.id <= ?');

/** As many as a power of two, so that few statements serve all lengths; nothing is found for those added. */
function padded<Item>(items: readonly Item[], added: Item): Item[] {
  if (items.length === 0) return [];
  const length = 2 ** Math.ceil(Math.log2(items.length));
  return [...items, ...Array<Item>(length - items.length).fill(added)];
}
