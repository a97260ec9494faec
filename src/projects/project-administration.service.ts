import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { auditChanges } from '../audit-log/audit-changes';
import { AuditLogService } from '../audit-log/audit-log.service';
import { invalidIfDuplicate } from '../database/connections/database-errors';
import { TransactionsService } from '../database/transactions/transactions.service';
import { AuthenticationError, UnauthorizedOperationError } from '../errors/domain-errors';
import { CountLimitsService } from '../limits/count-limits.service';
import { SpaceService } from '../space/space.service';
import { type AuditedCaller } from '../access/caller';
import { UserAdministrationService } from '../users/user-administration.service';
import { UsersService } from '../users/users.service';
import { ProjectCounterRepository } from './data/project-counter.repository';
import { ProjectMemberRepository } from './data/project-member.repository';
import { ProjectRepository } from './data/project.repository';
import { type AddProjectDto } from './dto/add-project.dto';
import { type ProjectDto } from './dto/project.dto';
import { type UpdateProjectDto } from './dto/update-project.dto';
import { deletedProjectKey } from './project-key';
import { ProjectRemovalService } from './project-removal.service';
import { ProjectsService } from './projects.service';

/** Adds, changes and deletes projects. */
@Injectable()
export class ProjectAdministrationService implements OnModuleInit {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly space: SpaceService,
    private readonly users: UsersService,
    private readonly userAdministration: UserAdministrationService,
    private readonly projects: ProjectsService,
    private readonly removal: ProjectRemovalService,
    private readonly rows: ProjectRepository,
    private readonly members: ProjectMemberRepository,
    private readonly counters: ProjectCounterRepository,
    private readonly auditLog: AuditLogService,
    private readonly limits: CountLimitsService,
  ) {}

  onModuleInit(): void {
    this.removal.register('members', (manager, projectId, limit) =>
      this.members.removeSome(manager, projectId, limit),
    );
    this.removal.register('members', (manager, projectId) =>
      this.counters.removeOfProject(manager, projectId),
    );
    this.userAdministration.onLeaving((manager, userId) => this.members.removeOfUser(manager, userId));
  }

  /**
   * Adds a project; the caller becomes its administrator.
   * @throws InvalidRequestError for a key that another project has, ResourceOverflowError when there are too many projects,
   *   AuthenticationError when the caller has just been removed
   */
  add(caller: AuditedCaller, { key, ...project }: AddProjectDto): Promise<ProjectDto> {
    return this.transactions.run(async (manager) => {
      await this.space.lock(manager);
      // Removing a user also locks the space.
      if (!(await this.users.isActive(caller.id, manager))) throw new AuthenticationError();
      // The count cannot change, because the space is locked.
      this.limits.require('project', (await this.rows.count(manager)) + 1);
      const id = await invalidIfDuplicateKey(this.projects.add(manager, { projectKey: key, ...project }));
      await this.projects.addMember(manager, id, caller.id, true);
      const added = await this.projects.get(id, manager);
      await this.record(manager, caller, 'project.add', undefined, added);
      return added;
    });
  }

  /**
   * Changes a project. A new key also changes the keys of its issues.
   * @throws InvalidRequestError for a key that another project has, UnauthorizedOperationError if an API key limited to projects would change
   * the project's key, which must be unique in the space
   */
  update(caller: AuditedCaller, id: number, { key, ...changes }: UpdateProjectDto): Promise<ProjectDto> {
    if (key !== undefined && caller.projectIds) {
      throw new UnauthorizedOperationError(
        'An API key limited to projects cannot change the key of a project.',
      );
    }
    return this.transactions.run(async (manager) => {
      const before = await this.projects.lock(manager, id);
      await invalidIfDuplicateKey(this.rows.update(manager, id, { projectKey: key, ...changes }));
      const after = await this.projects.get(id, manager);
      await this.record(manager, caller, 'project.update', before, after);
      return after;
    });
  }

  /** Makes a project invisible to everyone; its contents are removed afterwards. */
  async remove(caller: AuditedCaller, id: number): Promise<ProjectDto> {
    const project = await this.transactions.run(async (manager) => {
      const removed = await this.projects.lock(manager, id);
      await this.record(manager, caller, 'project.delete', removed, undefined);
      await this.rows.update(manager, id, { deleted: true, projectKey: deletedProjectKey(id) });
      return removed;
    });
    await this.removal.afterDeletion();
    return project;
  }

  /** Records the changed fields, or only key and name of new and deleted projects; records nothing without changes. */
  private async record(
    manager: EntityManager,
    caller: AuditedCaller,
    action: 'project.add' | 'project.update' | 'project.delete',
    before: ProjectDto | undefined,
    after: ProjectDto | undefined,
  ): Promise<void> {
    const project = (after ?? before) as ProjectDto;
    const fields = before && after ? Object.keys(project) : ['projectKey', 'name'];
    const changes = auditChanges({ ...before }, { ...after }, fields);
    if (changes.length === 0) return;
    const subject = { id: project.id, name: project.projectKey };
    await this.auditLog.record(manager, caller, { action, subject, projectId: project.id, changes });
  }
}

const invalidIfDuplicateKey = <T>(statement: Promise<T>): Promise<T> =>
  // Migration tools search for these words.
  invalidIfDuplicate(statement, 'key', 'Duplicate entry: another project has this key.');
