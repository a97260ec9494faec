import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Caller } from '../../access/caller';
import { Conditions } from '../../database/sql/conditions';
import { contains } from '../../database/sql/contains';
import { offsetPage } from '../../database/sql/list-page';
import { isMerged, type Merged, mergedPage } from '../../database/sql/merged-page';
import { keywordSearch } from '../../database/search/searches';
import { inList, isEmbedded, type StatementRunner } from '../../database/sql/statements';
import { type Requester } from '../../event-loop/user-turns';
import { type Page, toOffsetPage } from '../../paging/page';
import { findScope, inScope, type ProjectScope } from '../../projects/data/project-scope';
import { visibleProjectIds } from '../../projects/visibility';
import { entityTexts } from '../../search-index/entity-texts';
import { type Candidates, SearchIndexService } from '../../search-index/search-index.service';
import { SearchKind } from '../../search-index/search-kind';
import { DocumentStatus } from '../document-status';
import { type ListDocumentsQuery } from '../dto/document-queries.dto';
import { Document } from '../entities/document.entity';

/** A document found by a search, with its number of characters. */
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

/** Number of documents per index block. */
const BLOCK_SIZE = 1024;

/** Searches for documents. Selects only their ids, so that no engine sorts texts. */
@Injectable()
export class DocumentSearchRepository implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly textIndex: SearchIndexService,
  ) {}

  onModuleInit(): void {
    const source = { kind: SearchKind.Document, blockSize: BLOCK_SIZE, entity: Document };
    this.textIndex.register(entityTexts(this.dataSource, { ...source, columns: ['title', 'plain'] }));
  }

  /** Returns one page of the active documents in projects that a caller can see. */
  async findPage(
    caller: Caller,
    query: ListDocumentsQuery,
    searcher: Requester,
  ): Promise<Page<FoundDocument>> {
    const scope = await findScope(this.dataSource, caller, query.projectId);
    const { keyword } = query;
    if (!keyword) return this.read(this.dataSource, scope, query);
    return keywordSearch(this.dataSource, searcher, async (runner) => {
      const reader = await this.textIndex.open([SearchKind.Document]);
      return this.read(runner, scope, query, await reader?.find(SearchKind.Document, keyword, runner));
    });
  }

  private async read(
    runner: StatementRunner,
    scope: ProjectScope,
    query: ListDocumentsQuery,
    candidates?: Candidates,
  ): Promise<Page<FoundDocument>> {
    const conditions = this.conditions(query, candidates);
    if (!candidates && 'only' in scope && isMerged(scope.only, query)) {
      const scan = { ...FOUND, sortKey: `d.${query.sort}`, conditions };
      const { sql, parameters } = mergedPage(scope.only, scan, query);
      return toOffsetPage(await runner.query<(FoundDocument & Merged)[]>(sql, parameters), query);
    }
    const direction = query.order === 'asc' ? 'ASC' : 'DESC';
    return offsetPage(
      runner,
      {
        select: FOUND.select,
        from: `${FOUND.from} ${this.index(scope, query, candidates)}`,
        conditions: inScope(scope, FOUND.projectId).and(conditions),
      },
      query,
      `d.${query.sort} ${direction}, d.id ${direction}`,
    );
  }

  /** Returns which of the given projects a caller can see now. */
  async findVisibleProjects(caller: Caller, projectIds: readonly number[]): Promise<Set<number>> {
    const { sql, parameters } = visibleProjectIds(caller);
    const list = inList(projectIds);
    const rows = await this.dataSource.query<{ id: number }[]>(
      `SELECT id FROM (${sql}) visible WHERE id ${list.sql}`,
      [...parameters, ...list.parameters],
    );
    return new Set(rows.map(({ id }) => id));
  }

  private conditions({ keyword }: ListDocumentsQuery, candidates: Candidates | undefined): Conditions {
    const conditions = new Conditions().add('d.status_id = ?', DocumentStatus.Active);
    if (!keyword) return conditions;
    if (candidates) {
      const list = inList(candidates.ids);
      conditions.add(`(d.id ${list.sql} OR d.id >= ?)`, ...list.parameters, candidates.from);
    }
    const { sql: inTitle, parameter } = contains(this.dataSource, 'd.title', keyword);
    const { sql: inText } = contains(this.dataSource, 'd.plain', keyword);
    return conditions.add(`(${inTitle} OR ${inText})`, parameter, parameter);
  }

  /** Returns an index hint. Without it, MariaDB would read and sort every document of the space. */
  private index(
    scope: ProjectScope,
    { sort }: ListDocumentsQuery,
    candidates: Candidates | undefined,
  ): string {
    if (candidates) return isEmbedded(this.dataSource) ? 'NOT INDEXED' : 'FORCE INDEX (PRIMARY)';
    const isOfSpace = 'except' in scope;
    return isOfSpace && !isEmbedded(this.dataSource) ? `FORCE INDEX (ix_document_${sort})` : '';
  }
}
