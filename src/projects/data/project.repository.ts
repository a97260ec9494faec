import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller } from '../../access/caller';
import { Conditions } from '../../database/conditions';
import { idBatches } from '../../database/id-batches';
import { countRows } from '../../database/list-page';
import { insertRow, selectRow, selectRows, updateRow } from '../../database/rows';
import { type EntityRunner, inList, lockRow } from '../../database/statements';
import { Project } from '../entities/project.entity';
import {
  isVisible,
  JOIN_MEMBERSHIP,
  VISIBILITY_COLUMNS,
  type VisibilityRow,
  visibleProjectIds,
} from '../visibility';

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
] as const;

/** What is read of a project. */
export type ProjectRow = Pick<Project, (typeof KEYS)[number]>;

/** What is read of a project to decide whether a request may use it. */
export type VisibleProjectRow = Pick<Project, 'id' | 'projectKey' | 'name'> & {
  isProjectAdministrator: boolean;
};

/** What it takes to make a project; what is left out gets its column's default. */
export type NewProject = Pick<Project, 'projectKey' | 'name'> & Partial<Project>;

/** The rows of `project`. */
@Injectable()
export class ProjectRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The project with this key if the caller may see it. */
  findVisibleByKey(caller: Caller, key: string): Promise<VisibleProjectRow | undefined> {
    return this.findVisibleWhere(caller, 'p.project_key = ?', key);
  }

  /** The project with this id if the caller may see it. */
  findVisibleById(caller: Caller, id: number): Promise<VisibleProjectRow | undefined> {
    return this.findVisibleWhere(caller, 'p.id = ?', id);
  }

  /** Those of the projects that are there and that the caller may see. */
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

  /** Those of the projects that have not been deleted. */
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

  /** One project that has not been deleted. */
  find(id: number, runner: EntityRunner = this.dataSource): Promise<ProjectRow | undefined> {
    return selectRow(runner, Project, KEYS, 'WHERE id = ? AND deleted = 0', [id]);
  }

  /** The projects with these ids, deleted ones too. */
  findByIds(ids: readonly number[]): Promise<ProjectRow[]> {
    const list = inList(ids);
    return selectRows(this.dataSource, Project, KEYS, `WHERE id ${list.sql}`, list.parameters);
  }

  /**
   * The projects that have not been deleted, ordered by id.
   * @param memberId only those of this member
   * @param archived only those that are archived, or that are not
   */
  list({ memberId, archived }: { memberId?: number; archived?: boolean }): AsyncIterable<ProjectRow[]> {
    const conditions = new Conditions()
      .add('deleted = 0')
      .addIf(archived, 'archived = ?')
      .addIf(memberId, 'id IN (SELECT project_id FROM project_member WHERE user_id = ?)');
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

  /** The ids of the projects that have not been deleted, ascending. */
  async findIds(): Promise<number[]> {
    const rows = await selectRows(this.dataSource, Project, ['id'], 'WHERE deleted = 0 ORDER BY id');
    return rows.map(({ id }) => id);
  }

  /** The number of projects that have not been deleted. */
  count(manager: EntityManager): Promise<number> {
    return countRows(manager, { from: 'project', conditions: new Conditions().add('deleted = 0') });
  }

  /** The ids of the deleted projects whose contents are still being removed. */
  async findDeletedIds(): Promise<number[]> {
    const rows = await selectRows(this.dataSource, Project, ['id'], 'WHERE deleted = 1 ORDER BY id');
    return rows.map(({ id }) => id);
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

  /** Removes the row of a deleted project once nothing refers to it any more. */
  async removeDeleted(manager: EntityManager, id: number): Promise<void> {
    await manager.query('DELETE FROM project WHERE id = ? AND deleted = 1', [id]);
  }

  private async findVisibleWhere(
    caller: Caller,
    condition: string,
    value: string | number,
  ): Promise<VisibleProjectRow | undefined> {
    const [row] = await this.dataSource.query<(VisibleProjectRow & VisibilityRow)[]>(
      `SELECT p.id AS id, p.project_key AS projectKey, p.name AS name, ${VISIBILITY_COLUMNS}
         FROM project p ${JOIN_MEMBERSHIP} WHERE ${condition}`,
      [caller.id, value],
    );
    if (!row || !isVisible(row, caller)) return undefined;
    const { id, projectKey, name } = row;
    return { id, projectKey, name, isProjectAdministrator: Boolean(row.projectAdministrator) };
  }
}
