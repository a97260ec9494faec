import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { invalidIfDuplicate } from '../database/database-errors';
import { TransactionsService } from '../database/transactions.service';
import { AuthenticationError, ResourceOverflowError } from '../errors/domain-errors';
import { SpaceService } from '../space/space.service';
import { type Caller } from '../access/caller';
import { UserAdministrationService } from '../users/user-administration.service';
import { UsersService } from '../users/users.service';
import { ProjectCounterRepository } from './data/project-counter.repository';
import { ProjectMemberRepository } from './data/project-member.repository';
import { ProjectRepository } from './data/project.repository';
import { type AddProjectDto } from './dto/add-project.dto';
import { type ProjectDto } from './dto/project.dto';
import { type UpdateProjectDto } from './dto/update-project.dto';
import { keyOfDeleted } from './project-key';
import { ProjectRemovalService } from './project-removal.service';
import { ProjectsService } from './projects.service';

const MAX_PROJECTS = 5000;

/** The message when the space has the maximum number of projects. */
export const PROJECT_LIMIT = `A space can have at most ${MAX_PROJECTS} projects.`;

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
  add(caller: Caller, { key, ...project }: AddProjectDto): Promise<ProjectDto> {
    return this.transactions.run(async (manager) => {
      await this.space.lock(manager);
      // Removing a user locks the space, too.
      if (!(await this.users.isActive(caller.id, manager))) throw new AuthenticationError();
      await this.refuseOverflow(manager);
      const id = await invalidIfDuplicateKey(this.projects.add(manager, { projectKey: key, ...project }));
      await this.projects.addMember(manager, id, caller.id, true);
      return this.projects.get(id, manager);
    });
  }

  /**
   * Changes a project. A new key also changes the keys of its issues.
   * @throws InvalidRequestError for a key that another project has
   */
  update(id: number, { key, ...changes }: UpdateProjectDto): Promise<ProjectDto> {
    return this.transactions.run(async (manager) => {
      await this.projects.lock(manager, id);
      await invalidIfDuplicateKey(this.rows.update(manager, id, { projectKey: key, ...changes }));
      return this.projects.get(id, manager);
    });
  }

  /** Makes a project invisible to everyone; its contents are removed afterwards. */
  remove(id: number): Promise<ProjectDto> {
    return this.transactions.run(async (manager) => {
      const removed = await this.projects.lock(manager, id);
      await this.rows.update(manager, id, { deleted: true, projectKey: keyOfDeleted(id) });
      this.transactions.afterCommit(manager, () => this.removal.start());
      return removed;
    });
  }

  /** Needs the lock on the space. */
  private async refuseOverflow(manager: EntityManager): Promise<void> {
    if ((await this.rows.count(manager)) >= MAX_PROJECTS) throw new ResourceOverflowError(PROJECT_LIMIT);
  }
}

const invalidIfDuplicateKey = <T>(statement: Promise<T>): Promise<T> =>
  invalidIfDuplicate(statement, 'key', 'Another project has this key.');
