import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { ActivitiesService } from '../activities/activities.service';
import { toActivityUser } from '../activities/activity-content';
import { ActivityType } from '../activities/activity-type';
import { type Actor, by, type Originators } from '../audit-log/actor';
import { type AuditAction } from '../audit-log/audit-action';
import { AuditLogService } from '../audit-log/audit-log.service';
import { invalidIfDuplicate } from '../database/connections/database-errors';
import { TransactionsService } from '../database/transactions/transactions.service';
import { InvalidRequestError } from '../errors/domain-errors';
import { NotificationReason } from '../notifications/notification-reason';
import { NotificationsService } from '../notifications/notifications.service';
import { ProjectsService } from '../projects/projects.service';
import { type AuditedCaller, type Author } from '../access/caller';
import { type UserDto } from '../users/dto/user.dto';
import { UsersService } from '../users/users.service';

const FIELD = 'userId';

/** Manages the members and administrators of a project. */
@Injectable()
export class ProjectMembersService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly projects: ProjectsService,
    private readonly users: UsersService,
    private readonly activities: ActivitiesService,
    private readonly notifications: NotificationsService,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Makes a user a direct member, and notifies them unless they are already a member through a team.
   * @throws InvalidRequestError when there is no such user, or when they are already a direct member
   */
  add(projectId: number, caller: AuditedCaller, userId: number): Promise<UserDto> {
    return this.transactions.run((manager) => this.join(manager, by(caller), projectId, userId));
  }

  /**
   * Same, in a transaction that has locked no project with a larger id.
   * @throws also NoResourceError when the project has been deleted
   */
  async join(
    manager: EntityManager,
    { author, actor }: Originators,
    projectId: number,
    userId: number,
  ): Promise<UserDto> {
    const user = await this.lock(manager, projectId, userId);
    const isByTeam = await this.projects.makeDirectMember(manager, projectId, userId);
    if (!isByTeam) {
      await invalidIfDuplicate(
        this.projects.addMember(manager, projectId, userId, false),
        FIELD,
        `User ${userId} is already a member of the project.`,
      );
    }
    await this.record(manager, ActivityType.UserJoinedProject, projectId, author, user);
    await this.audit(manager, actor, 'projectUser.add', projectId, user);
    const notified = isByTeam || userId === author.id ? [] : [userId];
    const reason = NotificationReason.ProjectUserAdded;
    await this.notifications.add(manager, notified, {
      projectId,
      threadId: null,
      senderId: author.id,
      reason,
    });
    return user;
  }

  /**
   * Ends a user's direct membership; they may remain a member through a team. Their assignments are kept.
   * @throws InvalidRequestError when there is no such member
   */
  remove(projectId: number, caller: AuditedCaller, userId: number): Promise<UserDto> {
    return this.transactions.run(async (manager) => {
      const user = await this.lock(manager, projectId, userId);
      if (!(await this.projects.removeMember(manager, projectId, userId))) {
        const message = `User ${userId} is not a direct member of the project.`;
        throw this.refusal(projectId, message);
      }
      await this.record(manager, ActivityType.UserLeftProject, projectId, caller, user);
      await this.audit(manager, caller, 'projectUser.delete', projectId, user);
      return user;
    });
  }

  /**
   * Makes a direct member an administrator of the project.
   * @throws InvalidRequestError when there is no such member, or when they are already an administrator
   */
  addAdministrator(projectId: number, caller: AuditedCaller, userId: number): Promise<UserDto> {
    return this.changeAdministrator(
      projectId,
      caller,
      userId,
      true,
      `User ${userId} is not a direct member of the project, or already administers it.`,
    );
  }

  /**
   * Makes an administrator of the project an ordinary member.
   * @throws InvalidRequestError when there is no such administrator
   */
  removeAdministrator(projectId: number, caller: AuditedCaller, userId: number): Promise<UserDto> {
    return this.changeAdministrator(
      projectId,
      caller,
      userId,
      false,
      `User ${userId} does not administer the project.`,
    );
  }

  private changeAdministrator(
    projectId: number,
    caller: AuditedCaller,
    userId: number,
    isAdministrator: boolean,
    refusal: string,
  ): Promise<UserDto> {
    return this.transactions.run(async (manager) => {
      const user = await this.lock(manager, projectId, userId);
      if (!(await this.projects.setAdministrator(manager, projectId, userId, isAdministrator))) {
        throw this.refusal(projectId, refusal, !isAdministrator);
      }
      const action = isAdministrator ? 'projectAdministrator.add' : 'projectAdministrator.delete';
      await this.audit(manager, caller, action, projectId, user);
      return user;
    });
  }

  /** Locks the user and then the project before anything is read, so that a user who is leaving the space cannot join. */
  private async lock(manager: EntityManager, projectId: number, userId: number): Promise<UserDto> {
    await this.users.lockEvenIfLeft(manager, userId);
    await this.projects.lock(manager, projectId);
    const [user] = await this.users.getUsable([userId], FIELD, manager);
    return user as UserDto;
  }

  /**
   * Returns the error for a user who is not a direct member, or not one that the request can concern.
   * @param isAdministrator whether it concerns only administrators of the project, or only others
   */
  private refusal(projectId: number, message: string, isAdministrator?: boolean): InvalidRequestError {
    return InvalidRequestError.of(FIELD, message, (limit) =>
      this.projects.getDirectMemberIds(projectId, limit, isAdministrator),
    );
  }

  private audit(
    manager: EntityManager,
    actor: Actor,
    action: AuditAction,
    projectId: number,
    { id, userId }: UserDto,
  ): Promise<void> {
    return this.auditLog.record(manager, actor, { action, subject: { id, name: userId }, projectId });
  }

  private record(
    manager: EntityManager,
    type: ActivityType.UserJoinedProject | ActivityType.UserLeftProject,
    projectId: number,
    author: Author,
    user: UserDto,
  ): Promise<void> {
    return this.activities.record(manager, {
      projectId,
      type,
      content: { users: [toActivityUser(user)], group_project_activities: [], comment: '' },
      author,
    });
  }
}
