import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { Conditions } from '../database/conditions';
import { refusingDuplicate } from '../database/database-errors';
import { countRows } from '../database/list-page';
import { updateRow } from '../database/rows';
import { affectedRows, inList } from '../database/statements';
import { TransactionsService } from '../database/transactions.service';
import { AuthenticationError, ResourceOverflowError } from '../errors/domain-errors';
import { SpaceService } from '../space/space.service';
import { type Caller } from '../access/caller';
import { UserAdministrationService } from '../users/user-administration.service';
import { UsersService } from '../users/users.service';
import { type AddProjectDto } from './dto/add-project.dto';
import { type ProjectDto } from './dto/project.dto';
import { type UpdateProjectDto } from './dto/update-project.dto';
import { Project } from './entities/project.entity';
import { keyOfDeleted } from './project-key';
import { ProjectRemovalService } from './project-removal.service';
import { ProjectsService } from './projects.service';

const MAX_PROJECTS = 5000;

/** What an answer says when the space has as many projects as it may. */
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
  ) {}

  onModuleInit(): void {
    this.removal.register('members', removeMembers);
    this.removal.register('members', removeCounters);
    this.userAdministration.onLeaving(removeMemberships);
  }

  /**
   * Adds a project, which its maker administers.
   * @throws InvalidRequestError for a key that another has, ResourceOverflowError when there are too many projects,
   *   AuthenticationError when the caller has just been removed
   */
  add(caller: Caller, { key, ...project }: AddProjectDto): Promise<ProjectDto> {
    return this.transactions.run(async (manager) => {
      await this.space.lock(manager);
      // Who removes a user holds the space, too.
      if (!(await this.users.isActive(caller.id, manager))) throw new AuthenticationError();
      await refuseOverflow(manager);
      const id = await refusingDuplicateKey(this.projects.add(manager, { projectKey: key, ...project }));
      await this.projects.addMember(manager, id, caller.id, true);
      return this.projects.get(id, manager);
    });
  }

  /**
   * Changes a project; with its key, those of its issues change.
   * @throws InvalidRequestError for a key that another has
   */
  update(id: number, { key, ...changes }: UpdateProjectDto): Promise<ProjectDto> {
    return this.transactions.run(async (manager) => {
      await this.projects.lock(manager, id);
      await refusingDuplicateKey(updateRow(manager, Project, id, { projectKey: key, ...changes }));
      return this.projects.get(id, manager);
    });
  }

  /** Makes a project gone for everyone; what it held is removed afterwards. */
  remove(id: number): Promise<ProjectDto> {
    return this.transactions.run(async (manager) => {
      const removed = await this.projects.lock(manager, id);
      await updateRow(manager, Project, id, { deleted: true, projectKey: keyOfDeleted(id) });
      this.transactions.afterCommit(manager, () => this.removal.start());
      return removed;
    });
  }
}

const refusingDuplicateKey = <T>(statement: Promise<T>): Promise<T> =>
  refusingDuplicate(statement, 'key', 'Another project has this key.');

/** To be asked under the space's lock. */
async function refuseOverflow(manager: EntityManager): Promise<void> {
  const conditions = new Conditions().add('deleted = 0');
  const count = await countRows(manager, { from: 'project', conditions });
  if (count >= MAX_PROJECTS) throw new ResourceOverflowError(PROJECT_LIMIT);
}

async function removeMembers(manager: EntityManager, projectId: number, limit: number): Promise<number> {
  const rows = await manager.query<{ userId: number }[]>(
    `SELECT user_id AS userId FROM project_member WHERE project_id = ? ORDER BY user_id LIMIT ${limit}`,
    [projectId],
  );
  const list = inList(rows.map((row) => row.userId));
  await manager.query(`DELETE FROM project_member WHERE project_id = ? AND user_id ${list.sql}`, [
    projectId,
    ...list.parameters,
  ]);
  return rows.length;
}

/** There are but a few. */
const removeCounters = (manager: EntityManager, projectId: number): Promise<number> =>
  affectedRows(manager, 'DELETE FROM project_counter WHERE project_id = ?', [projectId]);

async function removeMemberships(manager: EntityManager, userId: number): Promise<void> {
  await manager.query('DELETE FROM project_member WHERE user_id = ?', [userId]);
}
