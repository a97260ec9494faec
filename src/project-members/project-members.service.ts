import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { ActivitiesService } from '../activities/activities.service';
import { toActivityUser } from '../activities/activity-content';
import { ActivityType } from '../activities/activity-type';
import { NotificationReason } from '../comments/notification-reason';
import { NotificationsService } from '../comments/notifications.service';
import { refusingDuplicate } from '../database/database-errors';
import { lockRow } from '../database/statements';
import { TransactionsService } from '../database/transactions.service';
import { InvalidRequestError } from '../errors/domain-errors';
import { ProjectsService } from '../projects/projects.service';
import { type Caller } from '../access/caller';
import { type UserDto } from '../users/dto/user.dto';
import { UsersService } from '../users/users.service';

const FIELD = 'userId';

/** Who belongs to a project, and who of them administers it. */
@Injectable()
export class ProjectMembersService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly projects: ProjectsService,
    private readonly users: UsersService,
    private readonly activities: ActivitiesService,
    private readonly notifications: NotificationsService,
  ) {}

  /**
   * Makes a user a member, who is told of it.
   * @throws InvalidRequestError when there is no such user, or when they are one
   */
  add(projectId: number, caller: Caller, userId: number): Promise<UserDto> {
    return this.transactions.run(async (manager) => {
      const user = await this.lock(manager, projectId, userId);
      await refusingDuplicate(
        this.projects.addMember(manager, projectId, userId, false),
        FIELD,
        `User ${userId} is a member of the project already.`,
      );
      await this.record(manager, ActivityType.UserJoinedProject, projectId, caller, user);
      const told = userId === caller.id ? [] : [userId];
      const reason = NotificationReason.ProjectUserAdded;
      await this.notifications.add(manager, told, { projectId, threadId: null, senderId: caller.id, reason });
      return user;
    });
  }

  /**
   * Ends a membership. What the user was assigned stays theirs.
   * @throws InvalidRequestError when there is no such member
   */
  remove(projectId: number, caller: Caller, userId: number): Promise<UserDto> {
    return this.transactions.run(async (manager) => {
      const user = await this.lock(manager, projectId, userId);
      if (!(await this.projects.removeMember(manager, projectId, userId))) {
        throw InvalidRequestError.of(FIELD, `User ${userId} is not a member of the project.`);
      }
      await this.record(manager, ActivityType.UserLeftProject, projectId, caller, user);
      return user;
    });
  }

  /**
   * Has a member administer the project.
   * @throws InvalidRequestError when there is no such member, or when they do
   */
  addAdministrator(projectId: number, userId: number): Promise<UserDto> {
    return this.changeAdministrator(
      projectId,
      userId,
      true,
      `User ${userId} is not a member of the project, or administers it already.`,
    );
  }

  /**
   * Leaves an administrator of the project a member.
   * @throws InvalidRequestError when there is no such administrator
   */
  removeAdministrator(projectId: number, userId: number): Promise<UserDto> {
    return this.changeAdministrator(
      projectId,
      userId,
      false,
      `User ${userId} does not administer the project.`,
    );
  }

  private changeAdministrator(
    projectId: number,
    userId: number,
    isAdministrator: boolean,
    refusal: string,
  ): Promise<UserDto> {
    return this.transactions.run(async (manager) => {
      const user = await this.lock(manager, projectId, userId);
      if (!(await this.projects.setAdministrator(manager, projectId, userId, isAdministrator))) {
        throw InvalidRequestError.of(FIELD, refusal);
      }
      return user;
    });
  }

  /** Holds the user and then the project, so that nobody joins who is leaving the space; nothing is read before. */
  private async lock(manager: EntityManager, projectId: number, userId: number): Promise<UserDto> {
    await lockRow(manager, 'user', userId);
    await this.projects.lock(manager, projectId);
    const [user] = await this.users.getUsable([userId], FIELD, manager);
    return user as UserDto;
  }

  private record(
    manager: EntityManager,
    type: ActivityType.UserJoinedProject | ActivityType.UserLeftProject,
    projectId: number,
    caller: Caller,
    user: UserDto,
  ): Promise<void> {
    return this.activities.record(manager, {
      projectId,
      type,
      content: { users: [toActivityUser(user)], group_project_activities: [], comment: '' },
      createdUserId: caller.id,
      created: Date.now(),
    });
  }
}
