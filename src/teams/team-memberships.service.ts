import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Author, type Caller } from '../access/caller';
import { ActivitiesService } from '../activities/activities.service';
import { ActivityType } from '../activities/activity-type';
import { isReferenceError } from '../database/connections/database-errors';
import { TransactionsService } from '../database/transactions/transactions.service';
import { loopTurns } from '../event-loop/loop-turns';
import { NotificationReason } from '../notifications/notification-reason';
import { NotificationsService } from '../notifications/notifications.service';
import { ProjectMembershipsService } from '../projects/project-memberships.service';
import { ProjectPeopleService } from '../projects/project-people.service';
import { ProjectRemovalService } from '../projects/project-removal.service';
import { UserAdministrationService } from '../users/user-administration.service';
import { ProjectTeamRepository } from './data/project-team.repository';
import { TeamMemberRepository } from './data/team-member.repository';

/** Users who join or leave projects because of a team. */
interface Change {
  projectIds: readonly number[];
  userIds: readonly number[];
}

/**
 * Keeps the members of projects in sync with teams when teams change, when a user leaves the space and when a project is
 * deleted. Callers hold the lock on the team (`docs/decisions/0041-teams.md`).
 */
@Injectable()
export class TeamMembershipsService implements OnModuleInit {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly memberships: ProjectMembershipsService,
    private readonly people: ProjectPeopleService,
    private readonly removal: ProjectRemovalService,
    private readonly userAdministration: UserAdministrationService,
    private readonly activities: ActivitiesService,
    private readonly notifications: NotificationsService,
    private readonly members: TeamMemberRepository,
    private readonly projectTeams: ProjectTeamRepository,
  ) {}

  onModuleInit(): void {
    this.people.setTeamMemberFinder((projectId, teamIds, limit, runner) =>
      this.members.findInProject(projectId, teamIds, limit, runner),
    );
    this.removal.register('teams', (manager, projectId, limit) =>
      this.projectTeams.removeSome(manager, projectId, limit),
    );
    this.userAdministration.onLeaving(async (manager, userId) => {
      await this.members.removeOfUser(manager, userId);
      // A team may have added them to a project before it was locked here.
      await this.memberships.removeUser(manager, userId);
    });
  }

  /** Removes the teams among these that no project has. */
  removeUnused(manager: EntityManager, ids: readonly number[]): Promise<void> {
    return this.projectTeams.removeUnused(manager, ids);
  }

  /**
   * Makes the membership of a user in a project match the project's teams, without a notification.
   * @returns false if it matched, or the user or the project is gone
   */
  async recount(projectId: number, userId: number): Promise<boolean> {
    try {
      return await this.transactions.run((manager) =>
        this.memberships.correct(manager, { projectId, userId }, () =>
          this.projectTeams.countOfUser(manager, projectId, userId),
        ),
      );
    } catch (error) {
      if (isReferenceError(error)) return false;
      throw error;
    }
  }

  /** Adds a team to users' memberships of projects, and notifies users who were not members before. */
  async join(manager: EntityManager, author: Author, change: Change): Promise<void> {
    const joined = await this.memberships.addTeam(manager, change);
    const reason = NotificationReason.ProjectUserAdded;
    for await (const [projectId, userIds] of inSlices(joined)) {
      const notified = userIds.filter((id) => id !== author.id);
      await this.notifications.add(manager, notified, {
        projectId,
        threadId: null,
        senderId: author.id,
        reason,
      });
    }
  }

  /** Removes a team from users' memberships of projects. */
  leave(manager: EntityManager, change: Change): Promise<void> {
    return this.memberships.removeTeam(manager, change);
  }

  /** Removes a deleted team from its members' memberships, and records this in each of its projects. */
  async leaveAll(
    manager: EntityManager,
    caller: Caller,
    team: { id: number; name: string },
    change: Change,
  ): Promise<void> {
    await this.leave(manager, change);
    for await (const projectId of inSlices(change.projectIds)) {
      await this.record(manager, ActivityType.TeamLeftProject, projectId, caller, team);
    }
  }

  /** Records that a team has joined or left a project. */
  record(
    manager: EntityManager,
    type: ActivityType.TeamJoinedProject | ActivityType.TeamLeftProject,
    projectId: number,
    caller: Caller,
    { id, name }: { id: number; name: string },
  ): Promise<void> {
    return this.activities.record(manager, {
      projectId,
      type,
      content: { parties: [{ id, name }] },
      author: caller,
    });
  }
}

/** Yields one item at a time, and serves other requests in between. */
async function* inSlices<Item>(items: Iterable<Item>): AsyncGenerator<Item, void, void> {
  let isFirst = true;
  for (const item of items) {
    if (!isFirst) await loopTurns.nextSlice();
    isFirst = false;
    yield item;
  }
}
