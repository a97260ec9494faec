import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller } from '../../access/caller';
import { Conditions } from '../../database/sql/conditions';
import { countRows, offsetPage } from '../../database/sql/list-page';
import { insertRow, selectRow, selectRows, updateRow } from '../../database/sql/rows';
import { type EntityRunner, forced, inList } from '../../database/sql/statements';
import { Page } from '../../paging/page';
import { findScope, inScope } from '../../projects/data/project-scope';
import { reachedByKey, visibleProjectIds } from '../../projects/visibility';
import {
  type CountWatchingsQuery,
  type ListWatchingsQuery,
  type WatchingSortKey,
} from '../dto/watching-requests.dto';
import { Watching } from '../entities/watching.entity';

const KEYS = ['id', 'issueId', 'note', 'resourceAlreadyRead', 'created', 'updated'] as const;

/** A watching as responses show it. */
export type WatchingRow = Pick<Watching, (typeof KEYS)[number]>;

const SORT_COLUMNS: Readonly<Record<WatchingSortKey, string>> = {
  created: 'w.created',
  updated: 'w.updated',
  issueUpdated: 'i.updated',
};

/** Stores the watchings of issues. */
@Injectable()
export class WatchingRepository {
  /** The table `w`, read by user: the number of watchings per user is limited, but not per project. */
  private readonly ofUser: string;

  constructor(private readonly dataSource: DataSource) {
    this.ofUser = `watching w ${forced(dataSource, 'ix_watching_user_id_issue_id')}`;
  }

  /** Returns one page of a user's watchings whose issues the user can still see. */
  async findPage(watcher: Caller, query: ListWatchingsQuery): Promise<Page<WatchingRow>> {
    const conditions = (await this.ofWatcher(watcher))
      .addIf(query.resourceAlreadyRead, 'w.resource_already_read = ?')
      .inIfAny('w.issue_id', query.issueId);
    const from = `${this.ofUser} JOIN issue i ON i.id = w.issue_id`;
    const direction = query.order === 'asc' ? 'ASC' : 'DESC';
    const orderBy = `${SORT_COLUMNS[query.sort]} ${direction}, w.id ${direction}`;
    // Selects only the ids, so that no engine sorts notes.
    const source = { select: 'w.id AS id', from, conditions };
    const { items, next } = await offsetPage<{ id: number }>(this.dataSource, source, query, orderBy);
    const list = inList(items.map(({ id }) => id));
    const rows = await selectRows(this.dataSource, Watching, KEYS, `WHERE id ${list.sql}`, list.parameters);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return new Page(
      items.flatMap(({ id }) => byId.get(id) ?? []),
      next,
    );
  }

  /** Counts a user's watchings whose issues the user can still see. */
  async count(watcher: Caller, { resourceAlreadyRead, alreadyRead }: CountWatchingsQuery): Promise<number> {
    const conditions = await this.ofWatcher(watcher);
    if (resourceAlreadyRead === undefined) conditions.addIf(alreadyRead, 'w.already_read = ?');
    else conditions.add('w.resource_already_read = ?', resourceAlreadyRead);
    return countRows(this.dataSource, { from: this.ofUser, conditions });
  }

  /** Returns one of the caller's watchings, if the caller can still see the issue. */
  async findVisible(caller: Caller, id: number): Promise<Pick<Watching, 'id' | 'issueId'> | undefined> {
    const visible = visibleProjectIds(caller);
    const { where, parameters } = new Conditions()
      .add('w.id = ? AND w.user_id = ?', id, caller.id)
      .add(`w.project_id IN (${visible.sql})`, ...visible.parameters);
    const [row] = await this.dataSource.query<Pick<Watching, 'id' | 'issueId'>[]>(
      `SELECT w.id AS id, w.issue_id AS issueId FROM watching w ${where}`,
      parameters,
    );
    return row;
  }

  find(id: number, runner: EntityRunner = this.dataSource): Promise<WatchingRow | undefined> {
    return selectRow(runner, Watching, KEYS, 'WHERE id = ?', [id]);
  }

  /** Returns the id of a user's watching of an issue. */
  async findId(manager: EntityManager, userId: number, issueId: number): Promise<number | undefined> {
    const where = 'WHERE user_id = ? AND issue_id = ?';
    return (await selectRow(manager, Watching, ['id'], where, [userId, issueId]))?.id;
  }

  /** Counts the issues that a user watches. */
  countOfUser(manager: EntityManager, userId: number): Promise<number> {
    return countRows(manager, { from: 'watching', conditions: new Conditions().add('user_id = ?', userId) });
  }

  /** Counts the users who watch an issue. */
  countOfIssue(manager: EntityManager, issueId: number): Promise<number> {
    return countRows(manager, {
      from: 'watching',
      conditions: new Conditions().add('issue_id = ?', issueId),
    });
  }

  /** Returns the users who watch an issue, except one; their number is limited. */
  async findWatcherIds(manager: EntityManager, issueId: number, exceptId: number): Promise<number[]> {
    const rows = await selectRows(
      manager,
      Watching,
      ['userId'],
      'WHERE issue_id = ? AND user_id <> ? ORDER BY user_id',
      [issueId, exceptId],
    );
    return rows.map(({ userId }) => userId);
  }

  insert(manager: EntityManager, row: Omit<Watching, 'id' | 'user' | 'issue'>): Promise<number> {
    return insertRow(manager, Watching, row);
  }

  update(manager: EntityManager, id: number, changes: Partial<Watching>): Promise<void> {
    return updateRow(manager, Watching, id, changes);
  }

  async delete(manager: EntityManager, id: number): Promise<void> {
    await manager.query('DELETE FROM watching WHERE id = ?', [id]);
  }

  /** Marks the watchings of an issue as unread, except those of one user. */
  async markUnread(manager: EntityManager, issueId: number, exceptId: number): Promise<void> {
    await manager.query(
      `UPDATE watching SET resource_already_read = ?, already_read = ?
        WHERE issue_id = ? AND user_id <> ? AND (resource_already_read = ? OR already_read = ?)`,
      [false, false, issueId, exceptId, true, true],
    );
  }

  /** Marks all of the caller's watchings that their key reaches as checked. */
  async markChecked(manager: EntityManager, caller: Caller): Promise<void> {
    const { where, parameters } = new Conditions()
      .add('user_id = ? AND already_read = ?', caller.id, false)
      .and(reachedByKey(caller, 'project_id'));
    await manager.query(`UPDATE watching SET already_read = ? ${where}`, [true, ...parameters]);
  }

  /** Deletes all watchings of a user; their number is limited. */
  async deleteOfUser(manager: EntityManager, userId: number): Promise<void> {
    await manager.query('DELETE FROM watching WHERE user_id = ?', [userId]);
  }

  /** Deletes up to `limit` watchings of a project's issues and returns the number deleted. */
  async deleteOfProject(manager: EntityManager, projectId: number, limit: number): Promise<number> {
    const rows = await selectRows(manager, Watching, ['id'], `WHERE project_id = ? LIMIT ${limit}`, [
      projectId,
    ]);
    if (rows.length === 0) return 0;
    const list = inList(rows.map(({ id }) => id));
    await manager.query(`DELETE FROM watching WHERE id ${list.sql}`, list.parameters);
    return rows.length;
  }

  /**
   * Returns conditions for a user's watchings whose issues the user can still see. The projects are read first: with a sub-query,
   * MariaDB reads the watchings of all users in them.
   */
  private async ofWatcher(watcher: Caller): Promise<Conditions> {
    const scope = await findScope(this.dataSource, watcher, []);
    return new Conditions().add('w.user_id = ?', watcher.id).and(inScope(scope, 'w.project_id'));
  }
}
