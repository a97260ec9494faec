import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type AccessResource } from '../access/access';
import { Conditions } from '../database/conditions';
import { insertRow } from '../database/rows';
import { affectedRows, inList, lockRow, type StatementRunner } from '../database/statements';
import { InvalidRequestError, NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/request/path-id';
import { type Caller } from '../access/caller';
import { type UserDto } from '../users/dto/user.dto';
import { RoleType } from '../access/role-type';
import { UsersService } from '../users/users.service';
import { type ListProjectsQuery } from './dto/list-projects.dto';
import { type ProjectDto } from './dto/project.dto';
import { ProjectMember } from './entities/project-member.entity';
import { Project } from './entities/project.entity';
import { ProjectCountersService } from './project-counters.service';
import { PROJECT_KEY } from './project-key';
import { PROJECT_COLUMNS, type ProjectRow, toProjectDto } from './project.mapper';
import { isVisible, JOIN_MEMBERSHIP, VISIBILITY_COLUMNS, type VisibilityRow } from './visibility';

/** A project as somebody who may see it meets it. */
export interface VisibleProject extends AccessResource {
  id: number;
  projectKey: string;
  name: string;
}

type VisibleRow = Pick<VisibleProject, 'id' | 'projectKey' | 'name'> & VisibilityRow;

/** Is told of each new project in the transaction that makes it. */
export type ProjectListener = (manager: EntityManager, projectId: number) => Promise<void>;

/** What it takes to make a project; what is left out is as the columns have it. */
export type NewProject = Pick<Project, 'projectKey' | 'name'> & Partial<Project>;

/** Projects, their members, and what of them a caller may see. */
@Injectable()
export class ProjectsService {
  private readonly listeners: ProjectListener[] = [];

  constructor(
    private readonly dataSource: DataSource,
    private readonly counters: ProjectCountersService,
    private readonly users: UsersService,
  ) {}

  /**
   * The project of a path's `projectIdOrKey`: all digits are the id, anything else the key.
   * @throws NoResourceError when it does not exist or the caller may not see it, the same for both
   */
  async getVisible(caller: Caller, idOrKey: string | undefined): Promise<VisibleProject> {
    const project = await this.findVisible(caller, idOrKey);
    if (!project) throw new NoResourceError('project');
    return project;
  }

  /** The same, or undefined, for resources that have a name of their own for what is not there. */
  async findVisible(caller: Caller, idOrKey: string | undefined): Promise<VisibleProject | undefined> {
    if (idOrKey === undefined) return undefined;
    if (PROJECT_KEY.test(idOrKey)) return this.findWhere(caller, 'p.project_key = ?', idOrKey);
    const id = parseId(idOrKey);
    return id === undefined ? undefined : this.findVisibleById(caller, id);
  }

  /** The project with this id if the caller may see it. */
  findVisibleById(caller: Caller, id: number): Promise<VisibleProject | undefined> {
    return this.findWhere(caller, 'p.id = ?', id);
  }

  /**
   * The project that a request's body or query names by its id.
   * @throws InvalidRequestError for the field when it does not exist or the caller may not see it
   */
  async getUsable(caller: Caller, projectId: number, field: string): Promise<VisibleProject> {
    const project = await this.findVisibleById(caller, projectId);
    if (!project) throw InvalidRequestError.of(field, `There is no project ${projectId}.`);
    return project;
  }

  /** The projects with these ids, by id, in one query. Who may see them is asked elsewhere. */
  async findSummaries(ids: Iterable<number>): Promise<Map<number, ProjectDto>> {
    const distinct = [...new Set(ids)];
    if (distinct.length === 0) return new Map();
    const list = inList(distinct);
    const rows = await this.dataSource.query<ProjectRow[]>(
      `SELECT ${PROJECT_COLUMNS} FROM project p WHERE p.id ${list.sql}`,
      list.parameters,
    );
    return new Map(rows.map((row) => [row.id, toProjectDto(row)]));
  }

  /** The projects that a caller belongs to, or for an Administrator who asks for it every one; a space has a limited number. */
  async list(caller: Caller, { archived, all }: ListProjectsQuery): Promise<ProjectDto[]> {
    const conditions = new Conditions().add('p.deleted = 0').addIf(archived, 'p.archived = ?');
    if (!all || caller.roleType !== RoleType.Administrator) {
      conditions.add('p.id IN (SELECT project_id FROM project_member WHERE user_id = ?)', caller.id);
    }
    const rows = await this.dataSource.query<ProjectRow[]>(
      `SELECT ${PROJECT_COLUMNS} FROM project p ${conditions.where} ORDER BY p.id`,
      conditions.parameters,
    );
    return rows.map(toProjectDto);
  }

  /** One project that has not been deleted. */
  async get(id: number, runner: StatementRunner = this.dataSource): Promise<ProjectDto> {
    const [row] = await runner.query<ProjectRow[]>(
      `SELECT ${PROJECT_COLUMNS} FROM project p WHERE p.id = ? AND p.deleted = 0`,
      [id],
    );
    if (!row) throw new NoResourceError('project');
    return toProjectDto(row);
  }

  /**
   * Takes a project for the rest of the transaction, and gives it.
   * @throws NoResourceError when it has been deleted
   */
  async lock(manager: EntityManager, id: number): Promise<ProjectDto> {
    await lockRow(manager, 'project', id);
    return this.get(id, manager);
  }

  /** The members of a project, ordered by id. */
  getMembers(projectId: number): Promise<UserDto[]> {
    return this.usersOf(new Conditions().add('project_id = ?', projectId));
  }

  /** Those of the members who administer the project, ordered by id. */
  getAdministrators(projectId: number): Promise<UserDto[]> {
    const conditions = new Conditions().add('project_id = ?', projectId);
    return this.usersOf(conditions.add('project_administrator = 1'));
  }

  /** The users who administer a project. */
  async getAdministratorIds(manager: EntityManager, id: number): Promise<number[]> {
    const rows = await manager.query<{ userId: number }[]>(
      'SELECT user_id AS userId FROM project_member WHERE project_id = ? AND project_administrator = ?',
      [id, true],
    );
    return rows.map((row) => row.userId);
  }

  /** Has a module give new projects what they start with. */
  onCreated(listener: ProjectListener): void {
    this.listeners.push(listener);
  }

  /** Adds a project with its counters and what the modules give it. */
  async add(manager: EntityManager, project: NewProject): Promise<number> {
    const projectId = await insertRow(manager, Project, { ...project, created: Date.now() });
    await this.counters.create(manager, projectId);
    for (const listener of this.listeners) await listener(manager, projectId);
    return projectId;
  }

  /** Makes a user a member. */
  async addMember(
    manager: EntityManager,
    projectId: number,
    userId: number,
    projectAdministrator: boolean,
  ): Promise<void> {
    await insertRow(manager, ProjectMember, { projectId, userId, projectAdministrator, created: Date.now() });
  }

  /** Ends a membership; tells whether there was one. */
  async removeMember(manager: EntityManager, projectId: number, userId: number): Promise<boolean> {
    const removed = await affectedRows(
      manager,
      'DELETE FROM project_member WHERE project_id = ? AND user_id = ?',
      [projectId, userId],
    );
    return removed > 0;
  }

  /** Has a member administer the project or not; tells whether there was such a member for whom this is new. */
  async setAdministrator(
    manager: EntityManager,
    projectId: number,
    userId: number,
    isAdministrator: boolean,
  ): Promise<boolean> {
    const changed = await affectedRows(
      manager,
      `UPDATE project_member SET project_administrator = ?
        WHERE project_id = ? AND user_id = ? AND project_administrator <> ?`,
      [isAdministrator, projectId, userId, isAdministrator],
    );
    return changed > 0;
  }

  private async usersOf(members: Conditions): Promise<UserDto[]> {
    const rows = await this.dataSource.query<{ userId: number }[]>(
      `SELECT user_id AS userId FROM project_member ${members.where} ORDER BY user_id`,
      members.parameters,
    );
    const users = await this.users.findByIds(rows.map((row) => row.userId));
    return rows.flatMap(({ userId }) => users.get(userId) ?? []);
  }

  private async findWhere(
    caller: Caller,
    condition: string,
    value: string | number,
  ): Promise<VisibleProject | undefined> {
    const [row] = await this.dataSource.query<VisibleRow[]>(
      `SELECT p.id AS id, p.project_key AS projectKey, p.name AS name, ${VISIBILITY_COLUMNS}
         FROM project p ${JOIN_MEMBERSHIP} WHERE ${condition}`,
      [caller.id, value],
    );
    if (!row || !isVisible(row, caller)) return undefined;
    return {
      id: row.id,
      projectKey: row.projectKey,
      name: row.name,
      isProjectAdministrator: Boolean(row.projectAdministrator),
    };
  }
}
