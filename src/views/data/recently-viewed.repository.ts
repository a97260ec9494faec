import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRowsOrRaise, selectRows } from '../../database/sql/rows';
import { inList } from '../../database/sql/statements';
import { RecentlyViewed } from '../entities/recently-viewed.entity';
import { type ViewKind } from '../view-kind';

/** A view to insert or update. */
export type ViewRow = Pick<RecentlyViewed, 'userId' | 'kind' | 'subjectId' | 'projectId' | 'viewed'>;

/** The subject and the time of a view. */
export type RecentView = Pick<RecentlyViewed, 'subjectId' | 'viewed'>;

/** Maximum number of rows that one statement removes. */
const MAX_TRIMMED = 5000;

/** Stores the recent views of users. */
@Injectable()
export class RecentlyViewedRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns a user's views of a kind, newest first. */
  findOfUser(userId: number, kind: ViewKind): Promise<RecentView[]> {
    return selectRows(
      this.dataSource,
      RecentlyViewed,
      ['subjectId', 'viewed'],
      'WHERE user_id = ? AND kind = ? ORDER BY viewed DESC, id DESC',
      [userId, kind],
    );
  }

  /** Inserts views; an existing one gets the later time. */
  write(manager: EntityManager, rows: readonly ViewRow[]): Promise<void> {
    return insertRowsOrRaise(manager, RecentlyViewed, rows, {
      key: ['userId', 'kind', 'subjectId'],
      raised: 'viewed',
    });
  }

  /** Removes all but the newest `kept` views of each kind of these users. */
  async trim(manager: EntityManager, userIds: readonly number[], kept: number): Promise<void> {
    const users = inList(userIds);
    const rows = await manager.query<{ id: number }[]>(
      `SELECT ranked.id AS id
         FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY user_id, kind ORDER BY viewed DESC, id DESC) AS place
                 FROM recently_viewed WHERE user_id ${users.sql}) AS ranked
        WHERE ranked.place > ? LIMIT ${MAX_TRIMMED}`,
      [...users.parameters, kept],
    );
    if (rows.length > 0) await this.deleteByIds(manager, rows);
  }

  /** Removes up to `limit` views in a project, and returns the number removed. */
  async deleteOfProject(manager: EntityManager, projectId: number, limit: number): Promise<number> {
    const rows = await selectRows(manager, RecentlyViewed, ['id'], `WHERE project_id = ? LIMIT ${limit}`, [
      projectId,
    ]);
    if (rows.length > 0) await this.deleteByIds(manager, rows);
    return rows.length;
  }

  private async deleteByIds(manager: EntityManager, rows: readonly { id: number }[]): Promise<void> {
    const list = inList(rows.map(({ id }) => id));
    await manager.query(`DELETE FROM recently_viewed WHERE id ${list.sql}`, list.parameters);
  }
}
