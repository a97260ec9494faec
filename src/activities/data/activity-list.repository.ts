import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Caller } from '../../access/caller';
import { RoleType } from '../../access/role-type';
import { Conditions } from '../../database/sql/conditions';
import { padToPowerOfTwo, type Sql } from '../../database/sql/statements';
import { deletedProjectIds, visibleProjectIds } from '../../projects/visibility';
import { visibleTypes } from '../activity-rights';
import { ACTIVITY_COLUMNS, type ActivityRow } from './activity.repository';
import {
  type ActivityFilter,
  ActivityIndexes,
  addRange,
  conditionsOf,
  directionOf,
  idsOfAll,
  idsOfProject,
  type IndexScan,
} from './activity-scans';

/** Maximum number of scans that are merged without checking which of them are relevant. */
const MAX_MERGED = 128;

/**
 * Maximum number of types scanned one by one, so that rare types are found immediately; among more types, some are frequent.
 */
const MAX_TYPES_APART = 8;

/** Maximum number of activities of rare types that are read by their ids. */
const MAX_RARE = 200;

/**
 * Repository of the lists of activities. A list first finds its ids in an index with all columns that it filters by, and then
 * reads only the activities that it shows. Each list has one row more than requested if there are more.
 */
@Injectable()
export class ActivityListRepository {
  private readonly indexes: ActivityIndexes;

  constructor(private readonly dataSource: DataSource) {
    this.indexes = new ActivityIndexes(dataSource);
  }

  /** Returns the activities of a project that the caller may see. */
  listOfProject(projectId: number, caller: Caller, filter: ActivityFilter): Promise<ActivityRow[]> {
    const scans = this.scansOf(caller, filter);
    return this.read(
      scans.map((scan) => idsOfProject(projectId, scan, filter)),
      filter,
    );
  }

  /**
   * Returns the activities of all projects that the caller may see: the newest of each project, merged. Reading activities
   * until enough of them are visible would take too long for callers who see few of many; sorting the visible ones would take
   * too long for callers who see many.
   */
  async listOfSpace(caller: Caller, filter: ActivityFilter): Promise<ActivityRow[]> {
    // Administrators see everything, so the first activities are enough.
    if (caller.roleType === RoleType.Administrator && filter.activityTypeId.length === 0) {
      const conditions = conditionsOf(caller, filter).add(`a.project_id NOT IN (${deletedProjectIds})`);
      return this.read([idsOfAll({ index: this.indexes.primary, conditions }, filter)], filter);
    }
    return this.read(await this.scansToMerge(this.scansOf(caller, filter), caller, filter), filter);
  }

  /** Returns the activities of a user in the projects that the caller may see. */
  async listOfUser(userId: number, caller: Caller, filter: ActivityFilter): Promise<ActivityRow[]> {
    const conditions = new Conditions().add('a.created_user_id = ?', userId);
    const rare = await this.findRareIds(caller, filter);
    if (rare) {
      const ofUser = new Conditions().in('a.id', rare).and(conditions);
      return this.read([idsOfAll({ index: this.indexes.primary, conditions: ofUser }, filter)], filter);
    }
    const scan = { index: this.indexes.user, conditions: conditions.and(conditionsOf(caller, filter)) };
    return this.read(await this.scansToMerge([scan], caller, filter), filter);
  }

  /**
   * Returns the ids of all activities of the filter's types, by any user, if they are few: the index on users has no order by type, so that it
   * would be read for all activities of the user. Undefined if they are many.
   */
  private async findRareIds(caller: Caller, filter: ActivityFilter): Promise<number[] | undefined> {
    const { activityTypeId: types } = filter;
    if (types.length === 0 || types.length > MAX_TYPES_APART) return undefined;
    const visible = visibleProjectIds(caller);
    const { where, parameters } = conditionsOf(caller, filter);
    const rows = await this.dataSource.query<{ id: number }[]>(
      `SELECT a.id AS id FROM (${visible.sql}) v ${this.indexes.inOrder} activity a ${this.indexes.type} ON a.project_id = v.id ${where}
        LIMIT ${MAX_RARE + 1}`,
      [...visible.parameters, ...parameters],
    );
    return rows.length > MAX_RARE ? undefined : rows.map(({ id }) => id);
  }

  /** Returns the scans that a filter needs in each project. */
  private scansOf(caller: Caller, filter: ActivityFilter): IndexScan[] {
    const { activityTypeId: types } = filter;
    if (types.length === 0 || types.length > MAX_TYPES_APART) {
      return [{ index: this.indexes.project, conditions: conditionsOf(caller, filter) }];
    }
    return visibleTypes(caller, types).map((type) => ({
      index: this.indexes.type,
      conditions: addRange(new Conditions().add('a.type = ?', type), filter),
    }));
  }

  /**
   * Returns each scan of each project that the caller sees. If there are many, returns only the scans with the newest
   * activities: a page cannot use more scans than activities. Only in this case, because MariaDB searches for the newest
   * activity below a bound from the top.
   */
  private async scansToMerge(
    scans: readonly IndexScan[],
    caller: Caller,
    filter: ActivityFilter,
  ): Promise<Sql[]> {
    if (scans.length === 0) return [];
    const visible = visibleProjectIds(caller);
    const most = Math.floor(MAX_MERGED / scans.length);
    const projects = await this.dataSource.query<{ id: number }[]>(
      `SELECT v.id AS id FROM (${visible.sql}) v LIMIT ${most + 1}`,
      visible.parameters,
    );
    if (projects.length <= most) {
      return padToPowerOfTwo(projects, { id: 0 }).flatMap(({ id }) =>
        scans.map((scan) => idsOfProject(id, scan, filter)),
      );
    }
    const heads = scans.map((scan, index) => {
      const newest = idsOfProject('v.id', scan, { ...filter, count: 0 });
      return {
        sql: `SELECT v.id AS id, ${index} AS scan, (${newest.sql}) AS newest FROM (${visible.sql}) v`,
        parameters: [...newest.parameters, ...visible.parameters],
      };
    });
    const rows = await this.dataSource.query<{ id: number; scan: number }[]>(
      `SELECT h.id AS id, h.scan AS scan FROM (${heads.map(({ sql }) => sql).join(' UNION ALL ')}) h
        WHERE h.newest IS NOT NULL ORDER BY h.newest ${directionOf(filter)} LIMIT ${filter.count + 1}`,
      heads.flatMap(({ parameters }) => parameters),
    );
    return padToPowerOfTwo(rows, { id: 0, scan: 0 }).map(({ id, scan }) =>
      idsOfProject(id, scans[scan] as IndexScan, filter),
    );
  }

  /** Returns the activities with the ids that the queries find. */
  private read(ids: readonly Sql[], filter: ActivityFilter): Promise<ActivityRow[]> {
    if (ids.length === 0) return Promise.resolve([]);
    const order = `ORDER BY id ${directionOf(filter)} LIMIT ${filter.count + 1}`;
    const all = ids.map(({ sql }) => `SELECT t.id FROM (${sql}) t`).join(' UNION ALL ');
    return this.dataSource.query<ActivityRow[]>(
      `SELECT ${ACTIVITY_COLUMNS} FROM (SELECT u.id FROM (${all}) u ${order}) s ${this.indexes.inOrder} activity a ON a.id = s.id
        ORDER BY a.id ${directionOf(filter)}`,
      ids.flatMap(({ parameters }) => parameters),
    );
  }
}
