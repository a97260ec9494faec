import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller } from '../../access/caller';
import { Conditions } from '../../database/sql/conditions';
import { idBatches } from '../../database/sql/id-batches';
import { countRows } from '../../database/sql/list-page';
import { insertRow, selectRow, selectRows, updateRow } from '../../database/sql/rows';
import { affectedRows, type EntityRunner, inList, lockRow } from '../../database/sql/statements';
import { type ProjectDto } from '../dto/project.dto';
import { Project } from '../entities/project.entity';
import {
  isVisible,
  JOIN_MEMBERSHIP,
  reachedByKey,
  VISIBILITY_COLUMNS,
  type VisibilityRow,
  visibleProjectIds,
} from '../visibility';

/** The fields of a response, each with its own column. */
const KEYS = [
  'id',
  'projectKey',
  'name',
  'chartEnabled',
  'useResolvedForChart',
  'subtaskingEnabled',
  'grandchildIssueEnabled',
  'projectLeaderCanEditProjectLeader',
  'useWiki',
  'useDocument',
  'useFileSharing',
  'useWikiTreeView',
  'useSubversion',
  'useGit',
  'useOriginalImageSizeAtWiki',
  'useDevAttributes',
  'textFormattingRule',
  'archived',
  'displayOrder',
] as const satisfies readonly (keyof ProjectDto)[];

type NamedProject = Pick<Project, 'id' | 'projectKey' | 'name'>;

/** The columns read of a project to decide whether a request may use it. */
export type VisibleProjectRow = NamedProject & { isProjectAdministrator: boolean };

/** The fields of a new project; omitted fields get the default of their column. */
export type NewProject = Pick<Project, 'projectKey' | 'name'> & Partial<Project>;

/** Repository of projects. */
@Injectable()
export class ProjectRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the project with this key if the caller may see it. */
  findVisibleByKey(caller: Caller, key: string): Promise<VisibleProjectRow | undefined> {
    return this.findVisibleWhere(caller, 'p.project_key = ?', key);
  }

  /** Returns the project with this id if the caller may see it. */
  findVisibleById(caller: Caller, id: number): Promise<VisibleProjectRow | undefined> {
    return this.findVisibleWhere(caller, 'p.id = ?', id);
  }

  /** Returns the ids of the projects that exist and that the caller may see. */
  async findVisibleIds(caller: Caller, ids: readonly number[]): Promise<number[]> {
    const list = inList(ids);
    const visible = visibleProjectIds(caller);
    const rows = await selectRows(
      this.dataSource,
      Project,
      ['id'],
      `WHERE id ${list.sql} AND id IN (${visible.sql})`,
      [...list.parameters, ...visible.parameters],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns the ids of the first projects that the caller may see, ascending. */
  async findFirstVisibleIds(caller: Caller, limit: number): Promise<number[]> {
    const visible = visibleProjectIds(caller);
    const rest = `WHERE id IN (${visible.sql}) ORDER BY id LIMIT ${limit}`;
    return (await selectRows(this.dataSource, Project, ['id'], rest, visible.parameters)).map(({ id }) => id);
  }

  /** Returns the ids of the projects that have not been deleted. */
  async findUndeletedIds(runner: EntityRunner, ids: readonly number[]): Promise<number[]> {
    const list = inList(ids);
    const rows = await selectRows(
      runner,
      Project,
      ['id'],
      `WHERE id ${list.sql} AND deleted = 0`,
      list.parameters,
    );
    return rows.map(({ id }) => id);
  }

  /** Returns a project that has not been deleted. */
  find(id: number, runner: EntityRunner = this.dataSource): Promise<ProjectDto | undefined> {
    return selectRow(runner, Project, KEYS, 'WHERE id = ? AND deleted = 0', [id]);
  }

  /** Returns the projects with these ids, including deleted ones. */
  findByIds(ids: readonly number[]): Promise<ProjectDto[]> {
    const list = inList(ids);
    return selectRows(this.dataSource, Project, KEYS, `WHERE id ${list.sql}`, list.parameters);
  }

  /**
   * Returns the projects that have not been deleted, in batches ordered by id.
   * @param member only projects of this member
   * @param archived only archived projects, or only others
   */
  list({ member, archived }: { member?: Caller; archived?: boolean }): AsyncIterable<ProjectDto[]> {
    const conditions = new Conditions()
      .add('deleted = 0')
      .addIf(archived, 'archived = ?')
      .addIf(member?.id, 'id IN (SELECT project_id FROM project_member WHERE user_id = ?)')
      .and(reachedByKey(member ?? {}, 'id'));
    return idBatches((afterId, limit) =>
      selectRows(
        this.dataSource,
        Project,
        KEYS,
        `${conditions.where} AND id > ? ORDER BY id LIMIT ${limit}`,
        [...conditions.parameters, afterId],
      ),
    );
  }

  /** Returns the oldest projects that are neither archived nor deleted. */
  findOldest(limit: number): Promise<ProjectDto[]> {
    const rest = `WHERE deleted = 0 AND archived = 0 ORDER BY id LIMIT ${limit}`;
    return selectRows(this.dataSource, Project, KEYS, rest);
  }

  /** Returns the ids of the projects that have not been deleted, ascending. */
  async findIds(): Promise<number[]> {
    const rows = await selectRows(this.dataSource, Project, ['id'], 'WHERE deleted = 0 ORDER BY id');
    return rows.map(({ id }) => id);
  }

  /** Counts the projects that have not been deleted. */
  count(manager: EntityManager): Promise<number> {
    return countRows(manager, { from: 'project', conditions: new Conditions().add('deleted = 0') });
  }

  /** Returns the ids of the deleted projects that still have contents to remove, without those that an import is writing. */
  async findDeletedIds(): Promise<number[]> {
    const rest = 'WHERE deleted = 1 AND import_id IS NULL ORDER BY id';
    return (await selectRows(this.dataSource, Project, ['id'], rest)).map(({ id }) => id);
  }

  /** Makes a project visible that an import has written; returns false if it is gone. */
  async publish(manager: EntityManager, importId: number, id: number, projectKey: string): Promise<boolean> {
    const published = await affectedRows(
      manager,
      'UPDATE project SET deleted = 0, import_id = NULL, project_key = ? WHERE id = ? AND import_id = ? AND deleted = 1',
      [projectKey, id, importId],
    );
    return published > 0;
  }

  /** Turns the projects that an import has written into deleted ones. */
  async abandonImported(manager: EntityManager, importId: number): Promise<void> {
    await manager.query('UPDATE project SET import_id = NULL WHERE import_id = ? AND deleted = 1', [
      importId,
    ]);
  }

  /** Returns the projects that have one of these keys. */
  findByKeys(runner: EntityRunner, keys: readonly string[]): Promise<Pick<Project, 'id' | 'projectKey'>[]> {
    const list = inList(keys);
    const where = `WHERE project_key ${list.sql}`;
    return selectRows(runner, Project, ['id', 'projectKey'], where, list.parameters);
  }

  insert(manager: EntityManager, project: NewProject & Pick<Project, 'created'>): Promise<number> {
    return insertRow(manager, Project, project);
  }

  update(manager: EntityManager, id: number, changes: Partial<Project>): Promise<void> {
    return updateRow(manager, Project, id, changes);
  }

  /** Locks a project until the transaction ends. */
  async lock(manager: EntityManager, id: number): Promise<void> {
    await lockRow(manager, 'project', id);
  }

  /** Removes the row of a deleted project once no row references it. */
  async removeDeleted(manager: EntityManager, id: number): Promise<void> {
    await manager.query('DELETE FROM project WHERE id = ? AND deleted = 1', [id]);
  }

  private async findVisibleWhere(
    caller: Caller,
    condition: string,
    value: string | number,
  ): Promise<VisibleProjectRow | undefined> {
    const [row] = await this.dataSource.query<(NamedProject & VisibilityRow)[]>(
      `SELECT p.id AS id, p.project_key AS projectKey, p.name AS name, ${VISIBILITY_COLUMNS}
         FROM project p ${JOIN_MEMBERSHIP} WHERE ${condition}`,
      [caller.id, value],
    );
    if (!row || !isVisible(row, caller)) return undefined;
    const { id, projectKey, name } = row;
    return { id, projectKey, name, isProjectAdministrator: Boolean(row.projectAdministrator) };
  }
}
