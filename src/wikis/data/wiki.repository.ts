import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller } from '../../access/caller';
import { Conditions } from '../../database/sql/conditions';
import { contains } from '../../database/sql/contains';
import { countRows } from '../../database/sql/list-page';
import { entityColumns, insertRow, selectRow, selectRows, updateRow } from '../../database/sql/rows';
import { type Requester } from '../../event-loop/user-turns';
import { keywordSearchRunner } from '../../database/search/searches';
import { type EntityRunner, lockRow, inList, type StatementRunner } from '../../database/sql/statements';
import { NoResourceError } from '../../errors/domain-errors';
import { findVisible } from '../../projects/data/visible-rows';
import { visibleProjectIds } from '../../projects/visibility';
import { Wiki } from '../entities/wiki.entity';

const SUMMARY_COLUMNS = [
  'id',
  'projectId',
  'name',
  'createdUserId',
  'created',
  'updatedUserId',
  'updated',
] as const satisfies readonly (keyof Wiki)[];

const COLUMNS = [
  ...SUMMARY_COLUMNS,
  'threadId',
  'content',
  'version',
] as const satisfies readonly (keyof Wiki)[];

/** A wiki page without its content, for lists. */
export type WikiSummaryRow = Pick<Wiki, (typeof SUMMARY_COLUMNS)[number]>;

/** The columns of a wiki page. */
export type WikiRow = Pick<Wiki, (typeof COLUMNS)[number]>;

/** The name, content and version of a wiki page. */
export type WikiState = Pick<Wiki, 'name' | 'content' | 'version'>;

const TITLE_COLUMNS = [
  'threadId',
  'projectId',
  'name',
  'createdUserId',
] as const satisfies readonly (keyof Wiki)[];

/** The name of a wiki page, with its thread, project and author. */
export type WikiTitle = Pick<Wiki, (typeof TITLE_COLUMNS)[number]>;

/** Stores wiki pages. */
@Injectable()
export class WikiRepository {
  constructor(private readonly dataSource: DataSource) {}

  findById(id: number, runner: EntityRunner = this.dataSource): Promise<WikiRow | undefined> {
    return selectRow(runner, Wiki, COLUMNS, 'WHERE id = ?', [id]);
  }

  /** Returns all pages of a project, ordered by name. */
  findSummaries(projectId: number): Promise<WikiSummaryRow[]> {
    return this.findSummariesWhere(new Conditions().add('w.project_id = ?', projectId), this.dataSource);
  }

  /** Returns the pages of a project whose name, content or tags contain a keyword, ignoring case. */
  searchSummaries(projectId: number, keyword: string, searcher: Requester): Promise<WikiSummaryRow[]> {
    const { sql: inName, parameter } = contains(this.dataSource, 'w.name', keyword);
    const { sql: inContent } = contains(this.dataSource, 'w.content', keyword);
    const { sql: inTag } = contains(this.dataSource, 't.name', keyword);
    const tagged = `SELECT g.wiki_id FROM wiki_tag t JOIN wiki_tagging g ON g.tag_id = t.id WHERE t.project_id = ? AND ${inTag}`;
    const conditions = new Conditions()
      .add('w.project_id = ?', projectId)
      .add(`(${inName} OR ${inContent} OR w.id IN (${tagged}))`, parameter, parameter, projectId, parameter);
    return this.findSummariesWhere(conditions, keywordSearchRunner(this.dataSource, searcher));
  }

  count(projectId: number): Promise<number> {
    const conditions = new Conditions().add('project_id = ?', projectId);
    return countRows(this.dataSource, { from: 'wiki', conditions });
  }

  /** Returns the title of a page if the caller can see its project, in one query. */
  findVisibleTitle(caller: Caller, id: number): Promise<WikiTitle | undefined> {
    return findVisible<WikiTitle>(this.dataSource, caller, {
      select: entityColumns(this.dataSource, Wiki, TITLE_COLUMNS, 'w'),
      from: 'wiki w',
      projectId: 'w.project_id',
      where: 'w.id = ?',
      parameters: [id],
    });
  }

  /**
   * Returns the pages that exist and that the caller can see, with their projects. The plus sign disables an index on projects, with which
   * SQLite would look for each page in each project.
   */
  findVisiblePlaces(caller: Caller, ids: readonly number[]): Promise<Pick<Wiki, 'id' | 'projectId'>[]> {
    const list = inList(ids);
    const visible = visibleProjectIds(caller);
    return selectRows(
      this.dataSource,
      Wiki,
      ['id', 'projectId'],
      `WHERE id ${list.sql} AND +project_id IN (${visible.sql})`,
      [...list.parameters, ...visible.parameters],
    );
  }

  /** Returns the pages with these ids, in no particular order. */
  findSummariesByIds(ids: readonly number[]): Promise<WikiSummaryRow[]> {
    const list = inList(ids);
    return selectRows(this.dataSource, Wiki, SUMMARY_COLUMNS, `WHERE id ${list.sql}`, list.parameters);
  }

  /** Returns up to `limit` pages of a project, in no particular order. */
  findSomeOfProject(
    manager: EntityManager,
    projectId: number,
    limit: number,
  ): Promise<Pick<Wiki, 'id' | 'threadId'>[]> {
    return selectRows(manager, Wiki, ['id', 'threadId'], `WHERE project_id = ? LIMIT ${limit}`, [projectId]);
  }

  /**
   * Locks a page until the transaction ends and returns its current state.
   * @throws NoResourceError when it has been removed
   */
  async lock(manager: EntityManager, id: number): Promise<WikiState> {
    await lockRow(manager, 'wiki', id);
    const state = await selectRow(manager, Wiki, ['name', 'content', 'version'], 'WHERE id = ?', [id]);
    if (!state) throw new NoResourceError('wiki page');
    return state;
  }

  insert(manager: EntityManager, wiki: Partial<Wiki>): Promise<number> {
    return insertRow(manager, Wiki, wiki);
  }

  update(manager: EntityManager, id: number, changes: Partial<Wiki>): Promise<void> {
    return updateRow(manager, Wiki, id, changes);
  }

  async delete(manager: EntityManager, ids: readonly number[]): Promise<void> {
    const { sql, parameters } = inList(ids);
    await manager.query(`DELETE FROM wiki WHERE id ${sql}`, parameters);
  }

  private findSummariesWhere(conditions: Conditions, runner: StatementRunner): Promise<WikiSummaryRow[]> {
    return runner.query<WikiSummaryRow[]>(
      `SELECT ${entityColumns(this.dataSource, Wiki, SUMMARY_COLUMNS, 'w')} FROM wiki w ${conditions.where}
        ORDER BY w.name, w.id`,
      conditions.parameters,
    );
  }
}
