import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { ActivitiesService } from '../activities/activities.service';
import { toActivityUser } from '../activities/activity-content';
import { ActivityType } from '../activities/activity-type';
import { NotificationReason } from '../comments/notification-reason';
import { NotificationsService } from '../comments/notifications.service';
import { invalidIfDuplicate } from '../database/database-errors';
import { TransactionsService } from '../database/transactions.service';
import { InvalidRequestError } from '../errors/domain-errors';
import { ProjectsService } from '../projects/projects.service';
import { type Caller } from '../access/caller';
import { type UserDto } from '../users/dto/user.dto';
import { UsersService } from '../users/users.service';

const FIELD = 'userId';

/** The members of a project, and which of them administer it. */
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
   * Makes a user a member, and notifies them.
   * @throws InvalidRequestError when there is no such user, or when they are a member already
   */
  add(projectId: number, caller: Caller, userId: number): Promise<UserDto> {
    return this.transactions.run(async (manager) => {
      const user = await this.lock(manager, projectId, userId);
      await invalidIfDuplicate(
        this.projects.addMember(manager, projectId, userId, false),
        FIELD,
        `User ${userId} is a member of the project already.`,
      );
      await this.record(manager, ActivityType.UserJoinedProject, projectId, caller, user);
      const notified = userId === caller.id ? [] : [userId];
      const reason = NotificationReason.ProjectUserAdded;
      await this.notifications.add(manager, notified, {
        projectId,
        threadId: null,
        senderId: caller.id,
        reason,
      });
      return user;
    });
  }

  /**
   * Ends a membership. What is assigned to the user stays assigned.
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
   * Makes a member an administrator of the project.
   * @throws InvalidRequestError when there is no such member, or when they are one already
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
   * Makes an administrator of the project an ordinary member.
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

  /** Locks the user and then the project, before anything is read, so that nobody joins who is leaving the space. */
  private async lock(manager: EntityManager, projectId: number, userId: number): Promise<UserDto> {
    await this.users.hold(manager, userId);
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
