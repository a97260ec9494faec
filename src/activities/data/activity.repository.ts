import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller } from '../../access/caller';
import { insertRow, selectRow, selectRows } from '../../database/sql/rows';
import { columnsOf, type EntityRunner, forced, forWrite, inList } from '../../database/sql/statements';
import { type ProjectResource } from '../../projects/project-resource';
import { findVisible } from '../../projects/data/visible-rows';
import { type ActivityType } from '../activity-type';
import { Activity } from '../entities/activity.entity';

/** The columns read of an activity. */
export interface ActivityRow extends Pick<
  Activity,
  'id' | 'projectId' | 'createdUserId' | 'agentKeyId' | 'created'
> {
  type: ActivityType;
  /** JSON text; its references are replaced before it is parsed. */
  content: string;
}

/** The columns of `ActivityRow`, of the activity `a`. */
export const ACTIVITY_COLUMNS = columnsOf('a', [
  'id',
  'projectId',
  'type',
  'content',
  'createdUserId',
  'agentKeyId',
  'created',
] satisfies (keyof ActivityRow)[]);

/** Repository of activities; `ActivityListRepository` reads the lists. */
@Injectable()
export class ActivityRepository {
  constructor(private readonly dataSource: DataSource) {}

  async find(id: number): Promise<ActivityRow | undefined> {
    const [row] = await this.dataSource.query<ActivityRow[]>(
      `SELECT ${ACTIVITY_COLUMNS} FROM activity a WHERE a.id = ?`,
      [id],
    );
    return row;
  }

  /** Returns the activity with this id if the caller may see its project. */
  findVisible(
    caller: Caller,
    id: number,
  ): Promise<(ProjectResource & Pick<ActivityRow, 'type'>) | undefined> {
    return findVisible(this.dataSource, caller, {
      select: 'a.id AS id, a.project_id AS projectId, a.type AS type',
      from: 'activity a',
      projectId: 'a.project_id',
      where: 'a.id = ?',
      parameters: [id],
    });
  }

  insert(
    manager: EntityManager,
    activity: Omit<Activity, 'id' | 'project' | 'createdUser'>,
  ): Promise<number> {
    return insertRow(manager, Activity, activity);
  }

  /**
   * Returns the oldest activities: ids are in order of time, but for those written at about the same time.
   * @param after only activities with a larger id
   */
  findOldest(after: number, limit: number): Promise<Pick<ActivityRow, 'id' | 'created'>[]> {
    return selectRows(this.dataSource, Activity, ['id', 'created'], 'WHERE id > ? ORDER BY id LIMIT ?', [
      after,
      limit,
    ]);
  }

  /** Returns when the oldest activity of a project was created; undefined if it has none. */
  async findFirstTime(projectId: number): Promise<number | undefined> {
    const index = forced(this.dataSource, 'ix_activity_project_id_id_type');
    const rest = `${index} WHERE project_id = ? ORDER BY id LIMIT 1`;
    return (await selectRow(this.dataSource, Activity, ['created'], rest, [projectId]))?.created;
  }

  /** Returns the id of the newest activity of a project; undefined if it has none. */
  async findLastId(projectId: number, runner: EntityRunner = this.dataSource): Promise<number | undefined> {
    const index = forced(this.dataSource, 'ix_activity_project_id_id_type');
    const rest = `${index} WHERE project_id = ? ORDER BY id DESC LIMIT 1`;
    return (await selectRow(runner, Activity, ['id'], rest, [projectId]))?.id;
  }

  /** Keeps activities from being referenced by other transactions, for the rest of this one. */
  async lock(manager: EntityManager, ids: readonly number[]): Promise<void> {
    const list = inList(ids);
    await selectRows(manager, Activity, ['id'], `WHERE id ${list.sql}${forWrite(manager)}`, list.parameters);
  }

  /** Removes activities. */
  async remove(manager: EntityManager, ids: readonly number[]): Promise<void> {
    const list = inList(ids);
    await manager.query(`DELETE FROM activity WHERE id ${list.sql}`, list.parameters);
  }

  /** Removes up to `limit` activities of a project and returns their number. */
  async removeSome(manager: EntityManager, projectId: number, limit: number): Promise<number> {
    const rows = await manager.query<{ id: number }[]>(
      `SELECT id FROM activity WHERE project_id = ? LIMIT ${limit}`,
      [projectId],
    );
    if (rows.length > 0) {
      await this.remove(
        manager,
        rows.map(({ id }) => id),
      );
    }
    return rows.length;
  }
}
