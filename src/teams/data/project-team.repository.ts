import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller } from '../../access/caller';
import { Conditions } from '../../database/sql/conditions';
import { countRows } from '../../database/sql/list-page';
import { insertRow, selectRow, selectRows } from '../../database/sql/rows';
import { affectedRows, inList, lockRows, selectForShare } from '../../database/sql/statements';
import { deletedProjectIds, visibleProjectIds } from '../../projects/visibility';
import { ProjectTeam } from '../entities/project-team.entity';

/** Repository of the teams of projects. */
@Injectable()
export class ProjectTeamRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Whether a team is in a project that a caller may see. */
  async isVisibleTo(caller: Caller, teamId: number): Promise<boolean> {
    const visible = visibleProjectIds(caller);
    const condition = `WHERE team_id = ? AND project_id IN (${visible.sql}) LIMIT 1`;
    const row = await selectRow(this.dataSource, ProjectTeam, ['teamId'], condition, [
      teamId,
      ...visible.parameters,
    ]);
    return row !== undefined;
  }

  /** Returns the ids of the projects of a team that have not been deleted, ascending. */
  async findProjectIds(manager: EntityManager, teamId: number): Promise<number[]> {
    const rows = await selectRows(
      manager,
      ProjectTeam,
      ['projectId'],
      `WHERE team_id = ? AND project_id NOT IN (${deletedProjectIds}) ORDER BY project_id`,
      [teamId],
    );
    return rows.map(({ projectId }) => projectId);
  }

  /**
   * Returns the same as of now, whatever the transaction has read before, and keeps the team in them until it ends. A project that is deleted
   * meanwhile can be among them, as for any change of a team.
   */
  async lockProjectIds(manager: EntityManager, teamId: number): Promise<number[]> {
    const rows = await selectForShare<{ projectId: number }>(
      manager,
      `SELECT project_id AS projectId FROM project_team
        WHERE team_id = ? AND project_id NOT IN (${deletedProjectIds}) ORDER BY project_id`,
      [teamId],
    );
    return rows.map(({ projectId }) => projectId);
  }

  /** Counts the teams of a project. */
  countOfProject(manager: EntityManager, projectId: number): Promise<number> {
    const conditions = new Conditions().add('project_id = ?', projectId);
    return countRows(manager, { from: 'project_team', conditions });
  }

  /** Counts the teams of a project that a user is in. */
  async countOfUser(manager: EntityManager, projectId: number, userId: number): Promise<number> {
    const [row] = await manager.query<[{ teams: number | string }]>(
      `SELECT COUNT(*) AS teams FROM project_team j JOIN team_member t ON t.team_id = j.team_id
        WHERE j.project_id = ? AND t.user_id = ?`,
      [projectId, userId],
    );
    return Number(row.teams);
  }

  /** Adds a team to a project; throws a duplicate key error when it is already there. */
  async insert(manager: EntityManager, projectId: number, teamId: number): Promise<void> {
    await insertRow(manager, ProjectTeam, { projectId, teamId });
  }

  /** Removes a team from a project; returns whether it was there. */
  async delete(manager: EntityManager, projectId: number, teamId: number): Promise<boolean> {
    const sql = 'DELETE FROM project_team WHERE project_id = ? AND team_id = ?';
    return (await affectedRows(manager, sql, [projectId, teamId])) > 0;
  }

  /** Removes the teams among these that no project has. */
  async removeUnused(manager: EntityManager, teamIds: readonly number[]): Promise<void> {
    const list = inList(teamIds);
    await manager.query(
      `DELETE FROM team WHERE id ${list.sql} AND NOT EXISTS (SELECT 1 FROM project_team j WHERE j.team_id = team.id)`,
      list.parameters,
    );
  }

  /** Locks up to `limit` teams of a project and removes them from it; returns their number. */
  async removeSome(manager: EntityManager, projectId: number, limit: number): Promise<number> {
    const first = `WHERE project_id = ? ORDER BY team_id LIMIT ${limit}`;
    const rows = await selectRows(manager, ProjectTeam, ['teamId'], first, [projectId]);
    const list = inList(rows.map(({ teamId }) => teamId));
    await lockRows(manager, 'team', `WHERE id ${list.sql} ORDER BY id`, list.parameters);
    await manager.query(`DELETE FROM project_team WHERE project_id = ? AND team_id ${list.sql}`, [
      projectId,
      ...list.parameters,
    ]);
    return rows.length;
  }
}
