import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Caller } from '../../access/caller';
import { Conditions } from '../../database/conditions';
import { contains } from '../../database/contains';
import { offsetPage } from '../../database/list-page';
import { isMerged, mergedPage } from '../../database/merged-page';
import { keywordSearchRunner } from '../../database/search/searches';
import { inList, isEmbedded } from '../../database/statements';
import { type Requester } from '../../event-loop/user-turns';
import { type Page, toOffsetPage } from '../../paging/page';
import { findScope, inScope, type ProjectScope } from '../../projects/data/project-scope';
import { visibleProjectIds } from '../../projects/visibility';
import { DocumentStatus } from '../document-status';
import { type ListDocumentsQuery } from '../dto/document-queries.dto';

/** A document that a search has found, and how many characters it has. */
export interface FoundDocument {
  id: number;
  projectId: number;
  size: number;
}

const FOUND = {
  select: 'd.id AS id, d.project_id AS projectId, d.size AS size',
  from: 'document d',
  projectId: 'd.project_id',
  id: 'd.id',
};

/** Searches for documents. It finds only their ids, so that no engine sorts texts. */
@Injectable()
export class DocumentSearchRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** One page of the active documents of the projects that a caller may see. */
  async findPage(
    caller: Caller,
    query: ListDocumentsQuery,
    searcher: Requester,
  ): Promise<Page<FoundDocument>> {
    const scope = await findScope(this.dataSource, caller, query.projectId);
    const runner = query.keyword ? keywordSearchRunner(this.dataSource, searcher) : this.dataSource;
    const conditions = this.conditions(query);
    if ('only' in scope && isMerged(scope.only, query)) {
      const scan = { ...FOUND, sortKey: `d.${query.sort}`, conditions };
      const { sql, parameters } = mergedPage(scope.only, scan, query);
      return toOffsetPage(await runner.query<FoundDocument[]>(sql, parameters), query);
    }
    const direction = query.order === 'asc' ? 'ASC' : 'DESC';
    return offsetPage(
      runner,
      {
        select: FOUND.select,
        from: `${FOUND.from} ${this.index(scope, query)}`,
        conditions: inScope(scope, FOUND.projectId).and(conditions),
      },
      query,
      `d.${query.sort} ${direction}, d.id ${direction}`,
    );
  }

  /** The ids, of some projects, of those that a caller may see now. */
  async findVisibleProjects(caller: Caller, projectIds: readonly number[]): Promise<Set<number>> {
    const { sql, parameters } = visibleProjectIds(caller);
    const list = inList(projectIds);
    const rows = await this.dataSource.query<{ id: number }[]>(
      `SELECT id FROM (${sql}) visible WHERE id ${list.sql}`,
      [...parameters, ...list.parameters],
    );
    return new Set(rows.map(({ id }) => id));
  }

  private conditions({ keyword }: ListDocumentsQuery): Conditions {
    const conditions = new Conditions().add('d.status_id = ?', DocumentStatus.Active);
    if (!keyword) return conditions;
    const { sql: inTitle, parameter } = contains(this.dataSource, 'd.title', keyword);
    const { sql: inText } = contains(this.dataSource, 'd.plain', keyword);
    return conditions.add(`(${inTitle} OR ${inText})`, parameter, parameter);
  }

  /** MariaDB would rather read every document of the space and sort them. */
  private index(scope: ProjectScope, { sort }: ListDocumentsQuery): string {
    const isOfSpace = 'except' in scope;
    return isOfSpace && !isEmbedded(this.dataSource) ? `FORCE INDEX (ix_document_${sort})` : '';
  }
}
