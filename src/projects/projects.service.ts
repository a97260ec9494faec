import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type AccessResource } from '../access/access';
import { type Caller, OPERATOR } from '../access/caller';
import { RoleType } from '../access/role-type';
import { AuditLogService } from '../audit-log/audit-log.service';
import { mapBatches } from '../database/sql/id-batches';
import { type EntityRunner } from '../database/sql/statements';
import { InvalidRequestError, NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/request/path-id';
import { type UserDto } from '../users/dto/user.dto';
import { toUserDto } from '../users/user.mapper';
import { ProjectMemberRepository } from './data/project-member.repository';
import { type NewProject, ProjectRepository } from './data/project.repository';
import { type ListProjectsQuery } from './dto/list-projects.dto';
import { type ProjectDto } from './dto/project.dto';
import { ProjectCountersService } from './project-counters.service';
import { PROJECT_KEY } from './project-key';

/** A project that the caller may see. */
export interface VisibleProject extends AccessResource {
  id: number;
  projectKey: string;
  name: string;
}

/** Called for each new project, in the transaction that adds it. */
export type ProjectListener = (manager: EntityManager, projectId: number) => Promise<void>;

/** Manages projects and their members, and decides which projects a caller may see. */
@Injectable()
export class ProjectsService implements OnModuleInit {
  private readonly listeners: ProjectListener[] = [];

  constructor(
    private readonly projects: ProjectRepository,
    private readonly members: ProjectMemberRepository,
    private readonly counters: ProjectCountersService,
    private readonly auditLog: AuditLogService,
  ) {}

  onModuleInit(): void {
    this.auditLog.setProjectNames(async (manager, id) => (await this.projects.find(id, manager))?.projectKey);
  }

  /**
   * Returns the project of a path's `projectIdOrKey`: all digits are the id, anything else the key.
   * @throws NoResourceError when it does not exist and, indistinguishably, when the caller may not see it
   */
  async getVisible(caller: Caller, idOrKey: string | undefined): Promise<VisibleProject> {
    const project = await this.findVisible(caller, idOrKey);
    if (!project) throw new NoResourceError('project');
    return project;
  }

  /** Like `getVisible`, but returns undefined, for loaders with an error that names another resource. */
  async findVisible(caller: Caller, idOrKey: string | undefined): Promise<VisibleProject | undefined> {
    if (idOrKey === undefined) return undefined;
    if (PROJECT_KEY.test(idOrKey)) return this.projects.findVisibleByKey(caller, idOrKey);
    const id = parseId(idOrKey);
    return id === undefined ? undefined : this.findVisibleById(caller, id);
  }

  /** Returns the project with this id if the caller may see it. */
  findVisibleById(caller: Caller, id: number): Promise<VisibleProject | undefined> {
    return this.projects.findVisibleById(caller, id);
  }

  /**
   * Returns the project that a request's body or query names by id.
   * @throws InvalidRequestError for the field when it does not exist or the caller may not see it
   */
  async getUsable(caller: Caller, projectId: number, field: string): Promise<VisibleProject> {
    const project = await this.findVisibleById(caller, projectId);
    if (!project) {
      throw InvalidRequestError.of(field, `There is no project ${projectId}.`, (limit) =>
        this.projects.findFirstVisibleIds(caller, limit),
      );
    }
    return project;
  }

  /**
   * Requires that the projects exist that a request's body of an Administrator names by their ids.
   * @throws InvalidRequestError for the field
   */
  async requireExisting(ids: readonly number[], field: string, runner: EntityRunner): Promise<void> {
    const existing = new Set(ids.length === 0 ? [] : await this.projects.findUndeletedIds(runner, ids));
    const missing = ids.filter((id) => !existing.has(id));
    if (missing.length === 0) return;
    throw InvalidRequestError.of(field, `These projects do not exist: ${missing.join(', ')}.`, (limit) =>
      this.projects.findFirstVisibleIds(OPERATOR, limit),
    );
  }

  /** Returns the projects with these ids, by id, in one query. Does not check who may see them. */
  async findSummaries(ids: Iterable<number>): Promise<Map<number, ProjectDto>> {
    const distinct = [...new Set(ids)];
    if (distinct.length === 0) return new Map();
    const rows = await this.projects.findByIds(distinct);
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Returns the caller's projects, or all projects if an Administrator requests them; their number is limited. */
  list(
    caller: Caller,
    { archived, all }: Pick<ListProjectsQuery, 'archived' | 'all'>,
  ): Promise<ProjectDto[]> {
    const listsAll = all && caller.roleType === RoleType.Administrator;
    const batches = this.projects.list({ archived, member: listsAll ? undefined : caller });
    return mapBatches(batches, (row) => row);
  }

  /** Returns the oldest projects that are not archived, for an Administrator. */
  listOldest(limit: number): Promise<ProjectDto[]> {
    return this.projects.findOldest(limit);
  }

  /** Returns the ids of all projects, ascending; their number is limited. */
  listIds(): Promise<number[]> {
    return this.projects.findIds();
  }

  /**
   * Returns a project.
   * @throws NoResourceError when it has been deleted
   */
  async get(id: number, runner?: EntityRunner): Promise<ProjectDto> {
    const row = await this.projects.find(id, runner);
    if (!row) throw new NoResourceError('project');
    return row;
  }

  /**
   * Locks a project until the transaction ends, and returns it.
   * @throws NoResourceError when it has been deleted
   */
  async lock(manager: EntityManager, id: number): Promise<ProjectDto> {
    await this.projects.lock(manager, id);
    return this.get(id, manager);
  }

  /**
   * Returns the members of a project, ordered by id.
   * @param only restricts the result to direct members
   */
  getMembers(projectId: number, only?: 'direct'): Promise<UserDto[]> {
    return mapBatches(this.members.findMembers(projectId, only), toUserDto);
  }

  /** Returns the members who administer the project, ordered by id. */
  getAdministrators(projectId: number): Promise<UserDto[]> {
    return mapBatches(this.members.findMembers(projectId, 'administrators'), toUserDto);
  }

  /** Returns the ids of the users who administer a project. */
  getAdministratorIds(manager: EntityManager, id: number): Promise<number[]> {
    return this.members.findAdministratorIds(id, manager);
  }

  /**
   * Returns the ids of the first direct members of a project, ascending.
   * @param isAdministrator restricts the result to administrators of the project, or to others
   */
  getDirectMemberIds(projectId: number, limit: number, isAdministrator?: boolean): Promise<number[]> {
    return this.members.findDirectIds(projectId, limit, isAdministrator);
  }

  /** Registers a listener that adds initial contents to new projects. */
  onCreated(listener: ProjectListener): void {
    this.listeners.push(listener);
  }

  /** Adds a project with its counters and the initial contents from the listeners. */
  async add(manager: EntityManager, project: NewProject): Promise<number> {
    const projectId = await this.projects.insert(manager, { ...project, created: Date.now() });
    await this.counters.create(manager, projectId);
    for (const listener of this.listeners) await listener(manager, projectId);
    return projectId;
  }

  /**
   * Makes a user who is not a member a direct member.
   * @throws a duplicate key error when they are a member
   */
  addMember(
    manager: EntityManager,
    projectId: number,
    userId: number,
    projectAdministrator: boolean,
  ): Promise<void> {
    return this.members.insert(manager, { projectId, userId, projectAdministrator, created: Date.now() });
  }

  /** Makes a member through a team a direct member too; returns whether they were a member only through teams. */
  makeDirectMember(manager: EntityManager, projectId: number, userId: number): Promise<boolean> {
    return this.members.makeDirect(manager, projectId, userId);
  }

  /** Ends a user's direct membership and its rights; they may remain a member through a team. Returns whether there was one. */
  removeMember(manager: EntityManager, projectId: number, userId: number): Promise<boolean> {
    return this.members.removeDirect(manager, projectId, userId);
  }

  /** Sets whether a direct member administers the project; returns whether that changed anything. */
  setAdministrator(
    manager: EntityManager,
    projectId: number,
    userId: number,
    isAdministrator: boolean,
  ): Promise<boolean> {
    return this.members.setAdministrator(manager, projectId, userId, isAdministrator);
  }
}
