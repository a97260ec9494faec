import { type DataSource } from 'typeorm';
import { type Caller } from '../../access/caller';
import { Conditions } from '../../database/sql/conditions';
import { isEmbedded, type Sql, using } from '../../database/sql/statements';
import { type IdPaging } from '../../paging/page';
import { addVisible, visibleTypes } from '../activity-rights';
import { type ActivityType } from '../activity-type';

/** The filter and the page of a list of activities. */
export interface ActivityFilter extends Omit<IdPaging, 'offset'> {
  /** Only these types; all if empty. */
  activityTypeId: readonly ActivityType[];
}

/** Conditions on the activities of a project, and the index with exactly these columns in the order of the list. */
export interface IndexScan {
  index: string;
  conditions: Conditions;
}

/** The SQL that forces indexes of `activity`, and the join that keeps the order of its tables. */
export class ActivityIndexes {
  readonly primary: string;
  readonly project: string;
  readonly type: string;
  readonly user: string;
  readonly inOrder: string;

  constructor(dataSource: DataSource) {
    this.primary = isEmbedded(dataSource) ? 'NOT INDEXED' : 'FORCE INDEX (PRIMARY)';
    this.project = using(dataSource, 'ix_activity_project_id_id_type');
    this.type = using(dataSource, 'ix_activity_project_id_type_id');
    this.user = using(dataSource, 'ix_activity_created_user_id_project_id_id_type');
    this.inOrder = isEmbedded(dataSource) ? 'CROSS JOIN' : 'STRAIGHT_JOIN';
  }
}

export const directionOf = ({ order }: Pick<ActivityFilter, 'order'>): string =>
  order === 'asc' ? 'ASC' : 'DESC';

const limitOf = (filter: Pick<ActivityFilter, 'count' | 'order'>): string =>
  `ORDER BY a.id ${directionOf(filter)} LIMIT ${filter.count + 1}`;

/** Returns the ids of the activities that a scan finds in any project, one more than requested. */
export const idsOfAll = ({ index, conditions }: IndexScan, filter: ActivityFilter): Sql => ({
  sql: `SELECT a.id FROM activity a ${index} ${conditions.where} ${limitOf(filter)}`,
  parameters: conditions.parameters,
});

/**
 * Returns the ids of the activities that a scan finds in one project, one more than requested.
 * @param project its id, or the column of an outer query with the id
 */
export function idsOfProject(
  project: number | 'v.id',
  { index, conditions }: IndexScan,
  filter: ActivityFilter,
): Sql {
  const [id, parameters] = project === 'v.id' ? [project, []] : ['?', [project]];
  const ofProject = new Conditions().add(`a.project_id = ${id}`, ...parameters).and(conditions);
  return idsOfAll({ index, conditions: ofProject }, filter);
}

/** Returns the conditions for the activities that match the filter and that the caller may see. */
export function conditionsOf(caller: Caller, filter: ActivityFilter): Conditions {
  const conditions = new Conditions();
  const { activityTypeId: types } = filter;
  if (types.length > 0) conditions.in('a.type', visibleTypes(caller, types));
  else addVisible(conditions, caller, 'a.type');
  return addRange(conditions, filter);
}

export const addRange = (conditions: Conditions, { minId, maxId }: ActivityFilter): Conditions =>
  conditions.addIf(minId, 'a.id >= ?').addIf(maxId, 'a.id <= ?');
