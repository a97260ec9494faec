import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { groupBy } from '../database/sql/group-by';
import { loopTurns } from '../event-loop/loop-turns';
import { ProjectMemberRepository, type Memberships } from './data/project-member.repository';

/** Number of rows changed by one statement: more would block the event loop on the embedded database. */
const ROWS_AT_ONCE = 500;

/**
 * Memberships through teams. A membership counts its teams, so that member queries read one table, and concurrent changes of
 * several teams add up (`docs/decisions/0041-teams.md`). Callers lock the team first.
 */
@Injectable()
export class ProjectMembershipsService {
  constructor(private readonly members: ProjectMemberRepository) {}

  /**
   * Adds a team of the projects to the memberships of users.
   * @returns the users who were not members before, by project
   */
  async addTeam(manager: EntityManager, memberships: Memberships): Promise<Map<number, number[]>> {
    const created = Date.now();
    const added: { projectId: number; userId: number }[] = [];
    for await (const some of batchesOf(memberships)) {
      await this.members.addTeam(manager, some, created);
      added.push(...(await this.members.findMembersOfTeamOnly(manager, some)));
    }
    const byProject = groupBy(added, ({ projectId }) => projectId);
    return new Map([...byProject].map(([id, rows]) => [id, rows.map(({ userId }) => userId)]));
  }

  /** Removes a team of the projects from the memberships of users, and ends memberships without any other basis. */
  async removeTeam(manager: EntityManager, memberships: Memberships): Promise<void> {
    for await (const some of batchesOf(memberships)) await this.members.removeTeam(manager, some);
  }

  /**
   * Sets the number of teams behind a membership to its correct value, adding or ending the membership.
   * @param count counts the teams, once no other transaction can change the membership
   * @returns false if it was right
   */
  async correct(
    manager: EntityManager,
    { projectId, userId }: { projectId: number; userId: number },
    count: () => Promise<number>,
  ): Promise<boolean> {
    const before = await this.members.lock(manager, projectId, userId, Date.now());
    const teams = await count();
    if (before?.teamCount === teams && (before.direct || teams > 0)) return false;
    await this.members.setTeams(manager, projectId, userId, teams);
    return true;
  }

  /** Ends all memberships of a user. */
  removeUser(manager: EntityManager, userId: number): Promise<void> {
    return this.members.removeOfUser(manager, userId);
  }
}

/** Yields some of the users with some of the projects at a time, and serves other requests in between. */
async function* batchesOf({ projectIds, userIds }: Memberships): AsyncGenerator<Memberships, void, void> {
  let isFirst = true;
  for (let firstUser = 0; firstUser < userIds.length; firstUser += ROWS_AT_ONCE) {
    const users = userIds.slice(firstUser, firstUser + ROWS_AT_ONCE);
    const step = Math.floor(ROWS_AT_ONCE / users.length);
    for (let firstProject = 0; firstProject < projectIds.length; firstProject += step) {
      if (!isFirst) await loopTurns.nextSlice();
      isFirst = false;
      yield { projectIds: projectIds.slice(firstProject, firstProject + step), userIds: users };
    }
  }
}
