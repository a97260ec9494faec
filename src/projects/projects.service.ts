import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type AccessSubject } from '../access/access';
import { inList, insertRow } from '../database/statements';
import { InvalidRequestError, NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/path-id';
import { type Caller } from '../users/caller';
import { type UserDto } from '../users/dto/user.dto';
import { RoleType } from '../users/role-type';
import { ProjectMember } from './entities/project-member.entity';
import { Project } from './entities/project.entity';
import { ProjectCounters } from './project-counters.service';
import { isVisible, JOIN_MEMBERSHIP, VISIBILITY_COLUMNS, type VisibilityRow } from './visibility';

/** A project as somebody who may see it meets it. */
export interface VisibleProject extends AccessSubject {
  id: number;
  projectKey: string;
  name: string;
}

/** A project in few words. */
export type ProjectSummary = Pick<VisibleProject, 'id' | 'projectKey' | 'name'>;

type ProjectRow = ProjectSummary & VisibilityRow;

/** Databases compare more loosely: some take spaces at the end, or what follows a NUL, for nothing. */
const PROJECT_KEY = /^[A-Z][A-Z0-9_]{0,24}$/;

/** Projects, their members, and what of them a caller may see. */
@Injectable()
export class ProjectsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly counters: ProjectCounters,
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
   * The users who can be told of something in the project: its members, and Administrators, who see every project.
   * @param users those of the ids that exist
   * @throws InvalidRequestError naming the ids that are none
   */
  async getNotifiable(
    projectId: number,
    userIds: readonly number[],
    users: ReadonlyMap<number, UserDto>,
    field: string,
  ): Promise<UserDto[]> {
    if (userIds.length === 0) return [];
    const memberIds = await this.membersAmong(projectId, userIds);
    const notifiable = userIds.flatMap((id) => {
      const user = users.get(id);
      return user && (memberIds.has(id) || user.roleType === RoleType.Administrator) ? [user] : [];
    });
    if (notifiable.length < userIds.length) {
      const found = new Set(notifiable.map((user) => user.id));
      const missing = userIds.filter((id) => !found.has(id));
      throw InvalidRequestError.of(
        field,
        `These users are not members of the project: ${missing.slice(0, 20).join(', ')}.`,
      );
    }
    return notifiable;
  }

  /** A project as events tell of it. */
  async getSummary(manager: EntityManager, id: number): Promise<ProjectSummary> {
    const rows = await manager.query<ProjectSummary[]>(
      'SELECT id, project_key AS projectKey, name FROM project WHERE id = ?',
      [id],
    );
    return rows[0] as ProjectSummary;
  }

  /** The users who administer a project. */
  async getAdministratorIds(manager: EntityManager, id: number): Promise<number[]> {
    const rows = await manager.query<{ userId: number }[]>(
      'SELECT user_id AS userId FROM project_member WHERE project_id = ? AND project_administrator = ?',
      [id, true],
    );
    return rows.map((row) => row.userId);
  }

  /** Adds a project with its counters. */
  async add(manager: EntityManager, project: { projectKey: string; name: string }): Promise<number> {
    const projectId = await insertRow(manager, Project, { ...project, created: Date.now() });
    await this.counters.create(manager, projectId);
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

  private async membersAmong(projectId: number, userIds: readonly number[]): Promise<Set<number>> {
    const list = inList(userIds);
    const rows = await this.dataSource.query<{ userId: number }[]>(
      `SELECT user_id AS userId FROM project_member WHERE project_id = ? AND user_id ${list.sql}`,
      [projectId, ...list.parameters],
    );
    return new Set(rows.map((row) => row.userId));
  }

  private async findWhere(
    caller: Caller,
    condition: string,
    value: string | number,
  ): Promise<VisibleProject | undefined> {
    const [row] = await this.dataSource.query<ProjectRow[]>(
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
