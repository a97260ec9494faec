import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller } from '../../access/caller';
import { DEVELOPERS } from '../../access/role-type';
import { Conditions } from '../../database/sql/conditions';
import { countRows, idPage } from '../../database/sql/list-page';
import { insertRow } from '../../database/sql/rows';
import { selectTogether } from '../../database/sql/select-together';
import { affectedRows, columnsOf, isEmbedded } from '../../database/sql/statements';
import { type IdPaging, type Page } from '../../paging/page';
import { findScope, inScope } from '../../projects/data/project-scope';
import { visibleProjectIds } from '../../projects/visibility';
import { type CountStarsQuery } from '../dto/count-stars-query.dto';
import { Star } from '../entities/star.entity';
import { STAR_KEYS, type StarRow, starsOfThreads } from './star-sql';

const DAY_MS = 86_400_000;
const SHOWN_KEYS = ['id', ...STAR_KEYS] as const;

/** Stores stars. */
@Injectable()
export class StarRepository {
  private readonly received: string;

  constructor(private readonly dataSource: DataSource) {
    // Without the hint, MariaDB would read the whole table from its end instead of looking up one user's stars.
    this.received = `star s ${isEmbedded(dataSource) ? '' : 'FORCE INDEX (ix_star_received)'}`;
  }

  async insert(manager: EntityManager, star: Partial<Star>): Promise<void> {
    await insertRow(manager, Star, star);
  }

  /** Deletes a star, and returns whether it existed. */
  async delete(manager: EntityManager, id: number): Promise<boolean> {
    return (await affectedRows(manager, 'DELETE FROM star WHERE id = ?', [id])) > 0;
  }

  /** Returns one page of the stars that a user has received on subjects that the caller can see. */
  findReceived(userId: number, caller: Caller, query: IdPaging): Promise<Page<StarRow>> {
    const visible = visibleProjectIds(caller);
    const conditions = receivedBy(userId, caller).add(
      `s.project_id IN (${visible.sql})`,
      ...visible.parameters,
    );
    const source = { select: columnsOf('s', SHOWN_KEYS), from: this.received };
    return idPage(this.dataSource, { ...source, conditions }, query, 's.id');
  }

  /**
   * Counts the stars that a user has received on subjects that the caller can see. Days are in UTC, including the last one. The projects
   * are read first: with a sub-query, MariaDB reads all of the user's stars for each of the caller's projects.
   */
  async countReceived(userId: number, caller: Caller, { since, until }: CountStarsQuery): Promise<number> {
    const scope = await findScope(this.dataSource, caller, []);
    const conditions = receivedBy(userId, caller).and(inScope(scope, 's.project_id'));
    if (since !== undefined) conditions.add('s.created >= ?', startOf(since));
    if (until !== undefined) conditions.add('s.created < ?', startOf(until) + DAY_MS);
    return countRows(this.dataSource, { from: this.received, conditions });
  }

  /** Returns the stars on a thread, not on its comments, oldest first. */
  async findByThread(threadId: number): Promise<StarRow[]> {
    return (await selectTogether(this.dataSource, { stars: starsOfThreads([threadId]) })).stars;
  }
}

/** Returns conditions for the stars that a user has received in any project, except those on subjects hidden from the caller's role. */
function receivedBy(userId: number, caller: Caller): Conditions {
  const conditions = new Conditions().add('s.receiver_id = ?', userId);
  return DEVELOPERS.includes(caller.roleType) ? conditions : conditions.add('s.developers_only = ?', false);
}

const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);
