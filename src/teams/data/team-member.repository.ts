import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRows, selectRows } from '../../database/sql/rows';
import { type EntityRunner, inList, lockRows, selectForShare } from '../../database/sql/statements';
import { loopTurns } from '../../event-loop/loop-turns';
import { isMemberOfProject } from '../../projects/visibility';
import { TeamMember } from '../entities/team-member.entity';

/** Maximum number of rows read at once; a page of large teams has more. */
const ROWS_AT_ONCE = 5000;

/** Repository of team members. */
@Injectable()
export class TeamMemberRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the ids of the members of teams, ascending, by team id: one statement unless there are thousands. */
  async findOfTeams(
    teamIds: readonly number[],
    runner: EntityRunner = this.dataSource,
  ): Promise<Map<number, number[]>> {
    const members = new Map<number, number[]>(teamIds.map((id) => [id, []]));
    if (teamIds.length === 0) return members;
    const list = inList(teamIds);
    let after = { teamId: 0, userId: 0 };
    for (;;) {
      const rows = await selectRows(
        runner,
        TeamMember,
        ['teamId', 'userId'],
        `WHERE team_id ${list.sql} AND (team_id > ? OR (team_id = ? AND user_id > ?))
          ORDER BY team_id, user_id LIMIT ${ROWS_AT_ONCE}`,
        [...list.parameters, after.teamId, after.teamId, after.userId],
      );
      for (const { teamId, userId } of rows) members.get(teamId)?.push(userId);
      const last = rows.at(-1);
      if (!last || rows.length < ROWS_AT_ONCE) return members;
      after = last;
      await loopTurns.nextSlice();
    }
  }

  /**
   * Returns the ids of the members of a team as they are now, ascending, whatever the transaction has read before, and locks them until it
   * ends; their number is limited.
   */
  async lockOfTeam(manager: EntityManager, teamId: number): Promise<number[]> {
    const rows = await selectForShare<{ userId: number }>(
      manager,
      'SELECT user_id AS userId FROM team_member WHERE team_id = ? ORDER BY user_id',
      [teamId],
    );
    return rows.map(({ userId }) => userId);
  }

  /** Returns the ids of the first members of teams who are members of a project, ascending. */
  async findInProject(
    projectId: number,
    teamIds: readonly number[],
    limit: number,
    runner: EntityRunner = this.dataSource,
  ): Promise<number[]> {
    const list = inList(teamIds);
    const rows = await runner.query<{ userId: number }[]>(
      `SELECT DISTINCT t.user_id AS userId FROM team_member t
        WHERE t.team_id ${list.sql} AND ${isMemberOfProject('t.user_id')} ORDER BY userId LIMIT ${limit}`,
      [...list.parameters, projectId],
    );
    return rows.map(({ userId }) => userId);
  }

  async insert(manager: EntityManager, teamId: number, userIds: readonly number[]): Promise<void> {
    if (userIds.length === 0) return;
    await insertRows(
      manager,
      TeamMember,
      userIds.map((userId) => ({ teamId, userId })),
    );
  }

  async delete(manager: EntityManager, teamId: number, userIds: readonly number[]): Promise<void> {
    if (userIds.length === 0) return;
    const list = inList(userIds);
    await manager.query(`DELETE FROM team_member WHERE team_id = ? AND user_id ${list.sql}`, [
      teamId,
      ...list.parameters,
    ]);
  }

  /** Locks the teams of a user, in the order of their ids, and removes the user from them. */
  async removeOfUser(manager: EntityManager, userId: number): Promise<void> {
    await lockRows(
      manager,
      'team',
      'WHERE id IN (SELECT team_id FROM team_member WHERE user_id = ?) ORDER BY id',
      [userId],
    );
    await manager.query('DELETE FROM team_member WHERE user_id = ?', [userId]);
  }
}
