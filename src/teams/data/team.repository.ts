import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Conditions } from '../../database/sql/conditions';
import { countRows, offsetPage } from '../../database/sql/list-page';
import {
  entityColumns,
  hydrateRows,
  insertRow,
  selectRow,
  selectRows,
  updateRow,
} from '../../database/sql/rows';
import { type EntityRunner, inList, lockRow, type StatementRunner } from '../../database/sql/statements';
import { type OffsetPaging, Page } from '../../paging/page';
import { Team } from '../entities/team.entity';

const KEYS = ['id', 'name', 'displayOrder', 'createdUserId', 'created', 'updatedUserId', 'updated'] as const;

/** The columns read of a team. */
export type TeamRow = Pick<Team, (typeof KEYS)[number]>;

/** Repository of teams. */
@Injectable()
export class TeamRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns one page of all teams, in their order. */
  async findPage(query: OffsetPaging): Promise<Page<TeamRow>> {
    const direction = query.order === 'asc' ? 'ASC' : 'DESC';
    const { items, next } = await offsetPage<TeamRow>(
      this.dataSource,
      {
        select: entityColumns(this.dataSource, Team, KEYS, 't'),
        from: 'team t',
        conditions: new Conditions(),
      },
      query,
      `t.display_order ${direction}, t.id ${direction}`,
    );
    return new Page(await hydrateRows(this.dataSource, Team, KEYS, items), next);
  }

  /** Returns the teams of a project, in their order; their number is limited. */
  findOfProject(projectId: number): Promise<TeamRow[]> {
    return selectRows(
      this.dataSource,
      Team,
      KEYS,
      'JOIN project_team j ON j.team_id = team.id WHERE j.project_id = ? ORDER BY display_order, id',
      [projectId],
    );
  }

  /** Returns the ids of the first teams, ascending. */
  async findFirstIds(limit: number): Promise<number[]> {
    const rows = await selectRows(this.dataSource, Team, ['id'], `ORDER BY id LIMIT ${limit}`);
    return rows.map(({ id }) => id);
  }

  /** Returns the ids of the teams that exist. */
  async findExistingIds(ids: readonly number[], runner: EntityRunner): Promise<number[]> {
    const list = inList(ids);
    const rows = await selectRows(runner, Team, ['id'], `WHERE id ${list.sql}`, list.parameters);
    return rows.map(({ id }) => id);
  }

  find(id: number, runner: EntityRunner = this.dataSource): Promise<TeamRow | undefined> {
    return selectRow(runner, Team, KEYS, 'WHERE id = ?', [id]);
  }

  async exists(id: number): Promise<boolean> {
    return (await selectRow(this.dataSource, Team, ['id'], 'WHERE id = ?', [id])) !== undefined;
  }

  /** Counts all teams. */
  count(runner: StatementRunner): Promise<number> {
    return countRows(runner, { from: 'team', conditions: new Conditions() });
  }

  /** Returns the display order of the last team; undefined when there is none. */
  async findLastOrder(manager: EntityManager): Promise<number | undefined> {
    const last = 'ORDER BY display_order DESC LIMIT 1';
    return (await selectRow(manager, Team, ['displayOrder'], last))?.displayOrder;
  }

  /** Locks a team until the transaction ends; returns whether it still exists. */
  lock(manager: EntityManager, id: number): Promise<boolean> {
    return lockRow(manager, 'team', id);
  }

  /** Inserts a team and returns its id. */
  insert(manager: EntityManager, team: Omit<TeamRow, 'id'>): Promise<number> {
    return insertRow(manager, Team, team);
  }

  update(manager: EntityManager, id: number, changes: Partial<TeamRow>): Promise<void> {
    return updateRow(manager, Team, id, changes);
  }

  /** Deletes a team with its members, and removes it from its projects. */
  async delete(manager: EntityManager, id: number): Promise<void> {
    await manager.query('DELETE FROM team WHERE id = ?', [id]);
  }
}
