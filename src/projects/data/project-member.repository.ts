import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller } from '../../access/caller';
import { RoleType } from '../../access/role-type';
import { Conditions } from '../../database/sql/conditions';
import { idBatches } from '../../database/sql/id-batches';
import { insertRow, selectRows } from '../../database/sql/rows';
import {
  affectedRows,
  type EntityRunner,
  forWrite,
  inList,
  isEmbedded,
  type StatementRunner,
} from '../../database/sql/statements';
import { USER_COLUMNS, USER_COLUMNS_OF_U, type UserRow } from '../../users/user.mapper';
import { joinUser, USERS } from '../../users/data/user-sql';
import { ProjectMember } from '../entities/project-member.entity';
import { isMemberOfProject, reachedByKey } from '../visibility';

/** A user, whether they have not left, and whether they are a member of a project. */
export type PersonRow = UserRow & Record<'active' | 'member', boolean | number>;

/** Memberships of each of the users in each of the projects. */
export interface Memberships {
  projectIds: readonly number[];
  userIds: readonly number[];
}

/** Repository of project members. */
@Injectable()
export class ProjectMemberRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the ids of the first members of a project, ascending. */
  findMemberIds(projectId: number, limit: number, runner: EntityRunner = this.dataSource): Promise<number[]> {
    return findUserIds(runner, `WHERE project_id = ? ORDER BY user_id LIMIT ${limit}`, [projectId]);
  }

  /** Returns the ids of up to `limit` active Administrators of the space, who see every project. */
  async findSpaceAdministratorIds(limit: number): Promise<number[]> {
    const rows = await this.dataSource.query<{ id: number }[]>(
      `SELECT u.id FROM ${USERS} WHERE u.role_type = ? AND u.active = 1 AND u.disabled = 0 LIMIT ${limit}`,
      [RoleType.Administrator],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Returns the members of a project who have not left, in batches ordered by id.
   * @param only restricts the result to administrators or direct members
   */
  findMembers(projectId: number, only?: 'administrators' | 'direct'): AsyncIterable<UserRow[]> {
    const condition = only === undefined ? '' : `AND ${CONDITIONS[only]}`;
    return idBatches((afterId, limit) =>
      this.dataSource.query<UserRow[]>(
        `SELECT ${USER_COLUMNS_OF_U} FROM project_member m ${joinUser('m.user_id')}
          WHERE m.project_id = ? AND m.user_id > ? ${condition} ORDER BY m.user_id LIMIT ?`,
        [projectId, afterId, limit],
      ),
    );
  }

  /** Returns the ids of the members who administer a project, ascending. */
  findAdministratorIds(projectId: number, runner: EntityRunner): Promise<number[]> {
    return findUserIds(runner, 'WHERE project_id = ? AND project_administrator = ? ORDER BY user_id', [
      projectId,
      true,
    ]);
  }

  /**
   * Returns the ids of the first direct members of a project, ascending.
   * @param isAdministrator restricts the result to administrators, or to others
   */
  findDirectIds(projectId: number, limit: number, isAdministrator?: boolean): Promise<number[]> {
    const { where, parameters } = new Conditions()
      .add('project_id = ? AND direct = 1', projectId)
      .addIf(isAdministrator, 'project_administrator = ?');
    return findUserIds(this.dataSource, `${where} ORDER BY user_id LIMIT ${limit}`, parameters);
  }

  /**
   * Whether a caller shares a project with a user, or administers a project, and therefore may add any user to it. With a key limited to
   * projects, only shared ones count.
   */
  async canDiscover(viewer: Caller, userId: number): Promise<boolean> {
    const isShared = `EXISTS (
      SELECT 1 FROM project_member o WHERE o.project_id = m.project_id AND o.user_id = ?)`;
    const { where, parameters } = new Conditions()
      .add('m.user_id = ? AND p.deleted = 0', viewer.id)
      .add(viewer.projectIds ? isShared : `(m.project_administrator = 1 OR ${isShared})`, userId)
      .and(reachedByKey(viewer, 'm.project_id'));
    const rows = await this.dataSource.query<unknown[]>(
      `SELECT m.project_id FROM project_member m JOIN project p ON p.id = m.project_id ${where} LIMIT 1`,
      parameters,
    );
    return rows.length > 0;
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

  /** Returns which of the projects a user is a member of. */
  async findProjectIds(userId: number, projectIds: readonly number[]): Promise<number[]> {
    const { where, parameters } = new Conditions()
      .add('m.user_id = ? AND p.deleted = 0', userId)
      .in('m.project_id', projectIds);
    const rows = await this.dataSource.query<{ id: number }[]>(
      `SELECT p.id AS id FROM project_member m JOIN project p ON p.id = m.project_id ${where}`,
      parameters,
    );
    return rows.map(({ id }) => id);
  }

  /** Returns the users with these ids, and whether they are members of the project. */
  findPeople(
    projectId: number,
    userIds: readonly number[],
    runner: StatementRunner = this.dataSource,
  ): Promise<PersonRow[]> {
    const list = inList(userIds);
    return runner.query<PersonRow[]>(
      `SELECT ${USER_COLUMNS}, active, ${isMemberOfProject('u.id')} AS member
         FROM ${USERS} WHERE id ${list.sql}`,
      [projectId, ...list.parameters],
    );
  }

  /** Inserts a member who has no row yet. */
  async insert(
    manager: EntityManager,
    member: Pick<ProjectMember, 'projectId' | 'userId' | 'projectAdministrator' | 'created'>,
  ): Promise<void> {
    await insertRow(manager, ProjectMember, member);
  }

  /** Makes a member through teams a direct member too; returns whether there was such a member. */
  makeDirect(manager: EntityManager, projectId: number, userId: number): Promise<boolean> {
    return hasChanged(
      manager,
      'UPDATE project_member SET direct = 1 WHERE project_id = ? AND user_id = ? AND direct = 0',
      [projectId, userId],
    );
  }

  /** Ends a user's direct membership and its rights; returns whether there was one. */
  async removeDirect(manager: EntityManager, projectId: number, userId: number): Promise<boolean> {
    const wasMember = await hasChanged(
      manager,
      `UPDATE project_member SET direct = 0, project_administrator = 0
        WHERE project_id = ? AND user_id = ? AND direct = 1`,
      [projectId, userId],
    );
    if (wasMember) await this.removeWithoutBasis(manager, { projectIds: [projectId], userIds: [userId] });
    return wasMember;
  }

  /** Returns the membership of a user for a change, adding one that rests on nothing if there is none. */
  async lock(
    manager: EntityManager,
    projectId: number,
    userId: number,
    created: number,
  ): Promise<Pick<ProjectMember, 'direct' | 'teamCount'> | undefined> {
    const update = isEmbedded(manager.dataSource)
      ? 'ON CONFLICT (project_id, user_id) DO UPDATE SET'
      : 'ON DUPLICATE KEY UPDATE';
    await manager.query(
      `INSERT INTO project_member (project_id, user_id, project_administrator, created, direct, team_count)
        VALUES (?,?,?,?,?,?) ${update} team_count = project_member.team_count`,
      [projectId, userId, false, created, false, 0],
    );
    const condition = `WHERE project_id = ? AND user_id = ?${forWrite(manager)}`;
    const [row] = await selectRows(manager, ProjectMember, ['direct', 'teamCount'], condition, [
      projectId,
      userId,
    ]);
    return row;
  }

  /** Sets the team count of a membership, and removes it if nothing remains. */
  async setTeams(
    manager: EntityManager,
    projectId: number,
    userId: number,
    teamCount: number,
  ): Promise<void> {
    await manager.query('UPDATE project_member SET team_count = ? WHERE project_id = ? AND user_id = ?', [
      teamCount,
      projectId,
      userId,
    ]);
    await this.removeWithoutBasis(manager, { projectIds: [projectId], userIds: [userId] });
  }

  /** Increments the team count of each of the users in each of the projects. */
  async addTeam(
    manager: EntityManager,
    { projectIds, userIds }: Memberships,
    created: number,
  ): Promise<void> {
    const rows = projectIds.flatMap((projectId) =>
      userIds.map((userId) => [projectId, userId, false, created, false, 1]),
    );
    const update = isEmbedded(manager.dataSource)
      ? 'ON CONFLICT (project_id, user_id) DO UPDATE SET'
      : 'ON DUPLICATE KEY UPDATE';
    await manager.query(
      `INSERT INTO project_member (project_id, user_id, project_administrator, created, direct, team_count)
        VALUES ${rows.map(() => '(?,?,?,?,?,?)').join(',')} ${update} team_count = project_member.team_count + 1`,
      rows.flat(),
    );
  }

  /** Returns the users in the projects who are members through one team and nothing else. */
  findMembersOfTeamOnly(
    manager: EntityManager,
    memberships: Memberships,
  ): Promise<Pick<ProjectMember, 'projectId' | 'userId'>[]> {
    const { sql, parameters } = membershipCondition(memberships);
    return selectRows(
      manager,
      ProjectMember,
      ['projectId', 'userId'],
      `WHERE ${sql} AND direct = 0 AND team_count = 1 ORDER BY project_id, user_id`,
      parameters,
    );
  }

  /**
   * Decrements the team count of each of the users in each of the projects, and removes memberships without any remaining
   * basis.
   */
  async removeTeam(manager: EntityManager, memberships: Memberships): Promise<void> {
    const { sql, parameters } = membershipCondition(memberships);
    await manager.query(
      `UPDATE project_member SET team_count = team_count - 1 WHERE ${sql} AND team_count > 0`,
      parameters,
    );
    await this.removeWithoutBasis(manager, memberships);
  }

  private async removeWithoutBasis(manager: EntityManager, memberships: Memberships): Promise<void> {
    const { sql, parameters } = membershipCondition(memberships);
    await manager.query(
      `DELETE FROM project_member WHERE ${sql} AND direct = 0 AND team_count = 0`,
      parameters,
    );
  }

  /** Sets whether a direct member administers the project; returns whether that changed anything. */
  setAdministrator(
    manager: EntityManager,
    projectId: number,
    userId: number,
    isAdministrator: boolean,
  ): Promise<boolean> {
    return hasChanged(
      manager,
      `UPDATE project_member SET project_administrator = ?
        WHERE project_id = ? AND user_id = ? AND project_administrator <> ? AND direct = 1`,
      [isAdministrator, projectId, userId, isAdministrator],
    );
  }

  /** Removes up to `limit` members of a project and returns their number. */
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

/** SQL conditions that select members. */
const CONDITIONS = { administrators: 'm.project_administrator = 1', direct: 'm.direct = 1' } as const;

function membershipCondition({ projectIds, userIds }: Memberships): { sql: string; parameters: number[] } {
  const [projects, users] = [inList(projectIds), inList(userIds)];
  return {
    sql: `project_id ${projects.sql} AND user_id ${users.sql}`,
    parameters: [...projects.parameters, ...users.parameters],
  };
}

const hasChanged = async (
  manager: EntityManager,
  sql: string,
  parameters: readonly unknown[],
): Promise<boolean> => (await affectedRows(manager, sql, parameters)) > 0;

async function findUserIds(runner: EntityRunner, rest: string, parameters: unknown[]): Promise<number[]> {
  const rows = await selectRows(runner, ProjectMember, ['userId'], rest, parameters);
  return rows.map(({ userId }) => userId);
}
