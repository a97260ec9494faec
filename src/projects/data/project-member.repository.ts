import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { RoleType } from '../../access/role-type';
import { insertRow, selectRows } from '../../database/rows';
import { affectedRows, type EntityRunner, inList } from '../../database/statements';
import { USER_COLUMNS, type UserRow } from '../../users/user.mapper';
import { USERS } from '../../users/user-sql';
import { ProjectMember } from '../entities/project-member.entity';

/** A user, and whether they can be notified of something in a project. */
export type PersonRow = UserRow & { notifiable: boolean | number };

/** The rows of `project_member`. */
@Injectable()
export class ProjectMemberRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The ids of a project's members, ascending; at most `limit` of them if given. */
  findMemberIds(
    projectId: number,
    limit?: number,
    runner: EntityRunner = this.dataSource,
  ): Promise<number[]> {
    const end = limit === undefined ? '' : ` LIMIT ${limit}`;
    return findUserIds(runner, `WHERE project_id = ? ORDER BY user_id${end}`, [projectId]);
  }

  /** The ids of the members who administer a project, ascending. */
  findAdministratorIds(projectId: number, runner: EntityRunner = this.dataSource): Promise<number[]> {
    return findUserIds(runner, 'WHERE project_id = ? AND project_administrator = ? ORDER BY user_id', [
      projectId,
      true,
    ]);
  }

  /** Whether a user administers any project. */
  async administersAny(userId: number): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      `SELECT m.project_id FROM project_member m JOIN project p ON p.id = m.project_id
        WHERE m.user_id = ? AND m.project_administrator = 1 AND p.deleted = 0 LIMIT 1`,
      [userId],
    );
    return rows.length > 0;
  }

  /** The users with these ids. Active members of the project, and active Administrators, are `notifiable`. */
  findPeople(projectId: number, userIds: readonly number[]): Promise<PersonRow[]> {
    const list = inList(userIds);
    return this.dataSource.query<PersonRow[]>(
      `SELECT ${USER_COLUMNS}, active = 1 AND (role_type = ? OR EXISTS (
                SELECT 1 FROM project_member m WHERE m.project_id = ? AND m.user_id = u.id)) AS notifiable
         FROM ${USERS} WHERE id ${list.sql}`,
      [RoleType.Administrator, projectId, ...list.parameters],
    );
  }

  async insert(manager: EntityManager, member: Omit<ProjectMember, 'project' | 'user'>): Promise<void> {
    await insertRow(manager, ProjectMember, member);
  }

  /** Removes a member; returns whether there was one. */
  async remove(manager: EntityManager, projectId: number, userId: number): Promise<boolean> {
    const removed = await affectedRows(
      manager,
      'DELETE FROM project_member WHERE project_id = ? AND user_id = ?',
      [projectId, userId],
    );
    return removed > 0;
  }

  /** Changes whether a member administers the project; returns whether that changed anything. */
  async setAdministrator(
    manager: EntityManager,
    projectId: number,
    userId: number,
    isAdministrator: boolean,
  ): Promise<boolean> {
    const changed = await affectedRows(
      manager,
      `UPDATE project_member SET project_administrator = ?
        WHERE project_id = ? AND user_id = ? AND project_administrator <> ?`,
      [isAdministrator, projectId, userId, isAdministrator],
    );
    return changed > 0;
  }

  /** Removes up to `limit` members of a project; returns how many there were. */
  async removeSome(manager: EntityManager, projectId: number, limit: number): Promise<number> {
    const userIds = await this.findMemberIds(projectId, limit, manager);
    const list = inList(userIds);
    await manager.query(`DELETE FROM project_member WHERE project_id = ? AND user_id ${list.sql}`, [
      projectId,
      ...list.parameters,
    ]);
    return userIds.length;
  }

  /** Ends all memberships of a user. */
  async removeOfUser(manager: EntityManager, userId: number): Promise<void> {
    await manager.query('DELETE FROM project_member WHERE user_id = ?', [userId]);
  }
}

async function findUserIds(runner: EntityRunner, rest: string, parameters: unknown[]): Promise<number[]> {
  const rows = await selectRows(runner, ProjectMember, ['userId'], rest, parameters);
  return rows.map(({ userId }) => userId);
}
